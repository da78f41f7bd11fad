import type { Api } from '../../../api/client.ts'

/** What a run was given: its payload or input, and its prompt. Undefined if it was not read, or is no longer stored. */
export interface Given {
  input: unknown
  prompt: string | undefined
}

export function givenIn(events: readonly Api['RunEvent'][]): Given {
  const accepted = events.find(({ kind }) => kind === 'accepted') as Api['RunAcceptedEvent'] | undefined
  const started = events.find(({ kind }) => kind === 'started') as Api['RunStartedEvent'] | undefined
  return { input: accepted?.data.payload ?? undefined, prompt: started?.data.systemPrompt }
}
