import { codesOf, type AnyRoute } from '../../api/route.ts'
import { call } from '../helpers/client.ts'

/** A `call` that remembers how each route answered: with `done`, or with a code. */
export function createRecorder() {
  const seen = new Map<string, Set<string>>()
  let requests = 0

  function note(name: string, outcome: string): void {
    requests += 1
    seen.set(name, (seen.get(name) ?? new Set()).add(outcome))
  }

  const ask: typeof call = async (client, route, request) => {
    const answer = await call(client, route, request)
    note(route.name, answer.status < 400 ? 'done' : answer.failure.code)
    return answer
  }

  return {
    ask,
    /** How many requests were made. */
    requests: () => requests,
    /** What the route's declaration promises, and what was not seen of it. */
    missing: (route: AnyRoute): string[] =>
      [...codesOf(route), 'done'].filter((outcome) => !seen.get(route.name)?.has(outcome)),
  }
}

export type Recorder = ReturnType<typeof createRecorder>
