import test from 'ava'
import * as v from 'valibot'
import { routes } from '../../api/routes.ts'

const invisible = ['   ', '\t\n', '\u00a0\u3000', '\u200b\u200d', '\u2028', '\ufeff', '\u00ad']
const visible = ['A', ' a ', '\u200bб', '名', '👩‍💻', '…']

/** The problems that the body of a route has with this value as a name, by path. */
function problems(body: v.GenericSchema, value: string): string[] {
  const { issues = [] } = v.safeParse(body, { name: value })
  return issues.flatMap((issue) => {
    const path = v.getDotPath(issue) ?? ''
    return path === 'name' && /visible|sees|one line/.test(issue.message) ? [path] : []
  })
}

test('a name that nobody can see is refused in every body that takes one', (t) => {
  const taking = routes.filter(({ body }) => 'name' in ((body as { entries?: object } | undefined)?.entries ?? {}))
  t.deepEqual(taking.map(({ name }) => name).toSorted(), [
    'createAgent',
    'createApiKey',
    'createWorkspace',
    'updateAgent',
    'updateWorkspace',
    'uploadDocument',
  ])
  for (const { name, body } of taking) {
    for (const value of invisible)
      t.true(problems(body as v.GenericSchema, value).includes('name'), `${name} ${JSON.stringify(value)}`)
    for (const value of visible) t.deepEqual(problems(body as v.GenericSchema, value), [], `${name} ${value}`)
  }
})
