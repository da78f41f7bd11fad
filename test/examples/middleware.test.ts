import test, { type ExecutionContext } from 'ava'
import { checkSite } from '../../check-site/check-site.ts'
import { burst, finds, found, thorough } from '../helpers/defects-of-sites/reports.ts'
import { startExample } from '../helpers/example-program.ts'
import { testWith } from '../helpers/programs.ts'
import { askSite } from '../helpers/sites.ts'

const folder = 'examples/middleware'
const startNode = (t: ExecutionContext) => startExample(t, process.execPath, `${folder}/node/notebook.ts`)
const startPython = (t: ExecutionContext) => startExample(t, 'python3', `${folder}/python/notebook.py`)

async function passes(t: ExecutionContext, start: typeof startNode): Promise<void> {
  const { origin, host, caFile, tokenOf } = await start(t)
  const report = await checkSite({
    ...thorough,
    ...burst,
    token: await tokenOf('editor'),
    limitedToken: await tokenOf('reader'),
    site: origin,
    allow: [host],
    caFile,
  })
  finds(t, report, {})
  t.deepEqual(found(report, 'skipped', 'absent'), [])
}

/** What the checker does not try. */
async function refuses(t: ExecutionContext, start: typeof startNode): Promise<void> {
  const { origin, tokenOf } = await start(t)
  const token = await tokenOf('editor')
  const add = (body: unknown, key: string) =>
    askSite(`${origin}/api/tools/add_note`, { token, body, headers: { 'Idempotency-Key': key } })
  const [first, second] = await Promise.all([add({ text: 'Once.' }, 'a:1:0'), add({ text: 'Once.' }, 'a:1:0')])
  t.deepEqual(first.json(), { id: 2, text: 'Once.', author: 'editor' })
  t.deepEqual(second.json(), first.json())
  t.is((await add({ text: 'Another.' }, 'a:1:0')).status, 422)
  t.is((await add({ text: 'Another.' }, 'a:1:1')).json()['id'], 3)
  for (const [body, error] of [
    [{}, /text/],
    [{ text: '' }, /text.*1/],
    [{ text: 5 }, /text.*string/],
    [{ text: 'a', colour: 'red' }, /colour/],
    ['{', /JSON/],
    ['[1]', /object/],
  ] as const) {
    const answer = await add(body, 'a:2:0')
    t.is(answer.status, 400)
    t.regex(String(answer.json()['error']), error)
  }
  const large = { method: 'POST', token, headers: { 'Content-Length': '300000' } }
  t.is((await askSite(`${origin}/api/tools/add_note`, large)).status, 413)
  t.is((await askSite(`${origin}/elsewhere`, {})).status, 404)
}

// @promise check-site
test('the checker has nothing against the middleware for Node, and tries everything', (t) => passes(t, startNode))
testWith('python3')('the checker has nothing against the middleware for Python, and tries everything', (t) =>
  passes(t, startPython),
)
test('the middleware for Node makes a call once for each key and refuses what does not fit', (t) =>
  refuses(t, startNode))
testWith('python3')('the middleware for Python makes a call once for each key and refuses what does not fit', (t) =>
  refuses(t, startPython),
)
