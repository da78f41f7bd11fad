import { isObject } from '../../../../json.ts'
import { plainNumber, readExactly } from '../../../../outputs/exact-json.ts'

/** What a server says of a task. */
export type TaskSaid = { words: string; askAfter?: number; taskId: string } & (
  | { status: 'working' }
  /** `requests`: undefined if they are too many to be read. */
  | { status: 'input_required'; requests: Record<string, unknown> | undefined }
  /** `result`: as JSON text with every digit; undefined if it has to be requested. */
  | { status: 'completed'; result: string | undefined }
  | { status: 'failed'; error: { code: number; message: string } | undefined }
  | { status: 'cancelled' }
  | { status: 'unreadable' }
)

/** What is asked of a person is read in the event loop. In characters of JSON. */
const longestRequests = 64 * 1024

/**
 * Reads a task from the JSON text of a result: of the one that created it, or of a request about it. Runs in a thread if
 * the text is long, because strangers' input decides how long it takes.
 */
export function readTask({ text }: { text: string }): TaskSaid {
  const result = readExactly(text) as Record<string, unknown>
  // Before 2026, the result that creates a task has it as a member.
  const task = isObject(result['task']) ? result['task'] : result
  const said = { words: textOf(task['statusMessage']), taskId: textOf(task['taskId']), ...pauseIn(task) }
  const { status } = task
  if (status === 'working') return { ...said, status }
  if (status === 'input_required') return { ...said, status, requests: requestsIn(task['inputRequests']) }
  if (status === 'completed')
    return { ...said, status, result: isObject(task['result']) ? JSON.stringify(task['result']) : undefined }
  if (status === 'failed') return { ...said, status, error: errorIn(task['error']) }
  if (status === 'cancelled') return { ...said, status }
  return { ...said, status: 'unreadable' }
}

const textOf = (given: unknown): string => (typeof given === 'string' ? given : '')

/** The pause that the server wants, in seconds. The member's name was shorter before 2026. */
function pauseIn({ pollIntervalMs, pollInterval }: Record<string, unknown>): { askAfter?: number } {
  const ms = plainNumber(pollIntervalMs ?? pollInterval)
  return typeof ms === 'number' && ms >= 0 ? { askAfter: ms / 1000 } : {}
}

function requestsIn(given: unknown): Record<string, unknown> | undefined {
  const text = JSON.stringify(isObject(given) ? given : {})
  return text.length > longestRequests ? undefined : (JSON.parse(text) as Record<string, unknown>)
}

const errorIn = (given: unknown) =>
  isObject(given) ? { code: Number(plainNumber(given['code'])), message: textOf(given['message']) } : undefined
