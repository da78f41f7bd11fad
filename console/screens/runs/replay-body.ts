import type { Api } from '../../api/client.ts'

type Run = Pick<Api['Run'], 'trigger'>

/** Which member of a replay's body holds its input. */
const memberOf = ({ trigger }: Run): 'payload' | 'input' => (trigger === 'webhook' ? 'payload' : 'input')

export type Edited = { body: Api['ReplayRunRequest'] | undefined } | { problem: string }

/**
 * The body of a replay: none if the text was not changed, so that numbers of any size stay as they came. An input that
 * was text stays text.
 */
export function replayBody(run: Run, original: string, edited: string, wasText: boolean): Edited {
  if (edited === original) return { body: undefined }
  if (wasText) return { body: { input: edited } }
  try {
    const value: unknown = JSON.parse(edited)
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { problem: 'The input must be a JSON object.' }
    return { body: { [memberOf(run)]: value } }
  } catch (error) {
    return { problem: `This is not JSON: ${(error as Error).message}` }
  }
}
