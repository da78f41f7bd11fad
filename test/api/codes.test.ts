import test from 'ava'
import { codesOf, type AnyRoute } from '../../api/route.ts'
import { routes } from '../../api/routes.ts'
import type { ErrorCode } from '../../src/errors.ts'
import type { Answer } from '../helpers/client.ts'
import { provokersByName } from './provoke-by-name.ts'
import { createProvoke } from './provoke.ts'
import { createRecorder } from './recorder.ts'
import { createSpender } from './spender.ts'
import { openStage } from './stage.ts'

const outcomesOf = (route: AnyRoute): (ErrorCode | 'done')[] => [...codesOf(route), 'done']

// The client throws on an answer that is not declared, so what is seen here is exactly what is documented.
test('every route succeeds, and answers with every code that it documents and no other', async (t) => {
  const stage = await openStage(t)
  const recorder = createRecorder()
  const byCode = await createProvoke(t, stage, recorder)
  const byName = provokersByName(stage, recorder, createSpender(t))

  const problems: string[] = []
  for (const route of routes) {
    for (const outcome of outcomesOf(route)) {
      const provoke = byName[route.name]?.[outcome] ?? (outcome === 'done' ? undefined : byCode[outcome])
      const seen = provoke ? await provoke(route).then(outcomeOf, String) : 'nothing provokes it'
      if (seen !== outcome) problems.push(`${route.name} ${outcome}: ${seen}`)
    }
  }
  t.deepEqual(problems, [])
  for (const route of routes) t.deepEqual(recorder.missing(route), [], route.name)
  t.deepEqual(undocumented(byName), [])
  const pairs = routes.reduce((sum, route) => sum + codesOf(route).length, 0)
  t.log(`${routes.length} routes, ${pairs} pairs of route and code, ${recorder.texts.length} requests`)
})

const outcomeOf = (answer: Answer<unknown>): string => (answer.status < 400 ? 'done' : answer.failure.code)

/** What is provoked here although no route documents it. */
function undocumented(table: Record<string, object>): string[] {
  const documented = new Set(routes.flatMap((route) => outcomesOf(route).map((outcome) => `${route.name} ${outcome}`)))
  const provoked = Object.entries(table).flatMap(([name, row]) =>
    Object.keys(row).map((outcome) => `${name} ${outcome}`),
  )
  return provoked.filter((pair) => !documented.has(pair))
}
