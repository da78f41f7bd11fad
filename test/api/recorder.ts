import type { AnyRoute } from '../../api/route/route.ts'
import { codesOf } from '../../api/route/route-rules.ts'
import { call } from '../helpers/client.ts'

/** A `call` that remembers how each route answered: with `done`, or with a code. */
export function createRecorder() {
  const seen = new Map<string, Set<string>>()
  const texts: string[] = []

  function note(name: string, outcome: string, body: unknown): void {
    texts.push(JSON.stringify(body) ?? '')
    seen.set(name, (seen.get(name) ?? new Set()).add(outcome))
  }

  const ask: typeof call = async (client, route, request) => {
    const answer = await call(client, route, request)
    if (answer.status < 400) note(route.name, 'done', answer.body)
    else note(route.name, answer.failure.code, answer.failure)
    return answer
  }

  return {
    ask,
    /** The body of every answer, as JSON. */
    texts,
    /** What the route's declaration promises, and what was not seen of it. */
    missing: (route: AnyRoute): string[] =>
      [...codesOf(route), 'done'].filter((outcome) => !seen.get(route.name)?.has(outcome)),
  }
}

export type Recorder = ReturnType<typeof createRecorder>
