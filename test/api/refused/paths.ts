import type { AnyRoute } from '../../../api/route/route.ts'
import { codesOf } from '../../../api/route/route-rules.ts'
import { routes } from '../../../api/routes.ts'
import { newId } from '../../../src/ids.ts'
import { firstTime } from '../first-time.ts'
import { paramsOf } from '../stage.ts'
import { fill, sendTo } from './request.ts'
import type { Refusals } from './unharmed.ts'

const oddIds = (real: string): string[] => [
  '',
  '%00',
  '%E0%A4%A',
  '%',
  '%2F',
  '%2e%2e',
  '..',
  '.',
  '*',
  '0',
  '-1',
  'null',
  'undefined',
  '[object%20Object]',
  '1%20OR%201=1',
  "'%20or%20'1'='1",
  '%27;drop%20table%20users;--',
  '%F0%9F%98%80',
  '%ED%A0%80',
  '%C0%80',
  'a'.repeat(5000),
  `${real}%00`,
  `${real}%20`,
  `%20${real}`,
  `${real}/`,
  `${real}x`,
  real.slice(0, -1),
  `{${real}}`,
  encodeURIComponent(`${real},${newId()}`),
]

/** One for each way in which a path is read: as segments, as escapes, as text, and as the key of a row. */
const oneOfEachKind = (real: string): string[] => ['', '..', '%00', '%E0%A4%A', 'null', `${real}x`]

const has = (route: AnyRoute, code: string): boolean => codesOf(route).some((one) => one === code)

/** What is asked by paths that are refused. */
export const paths: Refusals = {
  'an identifier that is none is answered as one that is not there, on every route': async (t, stage) => {
    const problems: string[] = []
    const isNew = firstTime()
    for (const route of routes) {
      const params = paramsOf(route, stage.params)
      // A host and a month are none of our identifiers: which ones are refused is tested with their routes.
      // The id of a chat may be anything. What is wrong with the answer of a provider is its state.
      for (const name of Object.keys(params).filter(
        (one) => !['host', 'month', 'chatId'].includes(one) && route.name !== 'finishSignIn',
      )) {
        const real = params[name] ?? ''
        // Routes that find their resource by the same function read its identifier alike.
        for (const odd of isNew(route.resource ?? route, name) ? oddIds(real) : oneOfEachKind(real)) {
          const path = fill(route.path, { ...params, [name]: odd })
          // A slash at the end is not part of the identifier: it is the path of the list, or of the thing itself.
          if (path.endsWith('/')) continue
          const { status, code } = await sendTo(stage, route, path)
          const expected =
            code !== undefined && code.endsWith('NOT_FOUND') && (code === 'NOT_FOUND' || has(route, code))
          if (!expected || status !== 404)
            problems.push(`${route.name}, ${name} ${odd.slice(0, 40)}: ${status} ${code}`)
        }
      }
    }
    t.deepEqual(problems, [])
  },
}
