import { join } from 'node:path'
import test from 'ava'
import { readTemplates } from '../../../src/templates/read-templates.ts'
import { folderWith, problemsIn } from '../config/files.ts'

const good = {
  name: 'Triage',
  title: 'File issues',
  description: 'Files an issue for each report.',
  systemPrompt: 'File an issue.',
  trigger: 'manual',
  sites: [{ site: 'tracker', tools: ['search_issues'] }],
}
const webhook = { ...good, trigger: 'webhook', sample: { title: 'It hangs' } }

test('a folder has a template for each JSON file, in the order of their names', (t) => {
  const folder = folderWith(t, {
    'triage.json': JSON.stringify(webhook),
    'a-digest.json': JSON.stringify({ ...good, trigger: 'scheduled', cron: '0 8 * * 1-5', timeZone: 'UTC' }),
    'README.md': 'Not a template.',
  })
  const [digest, triage, ...more] = readTemplates(folder)
  t.like(digest, { id: 'a-digest', cron: '0 8 * * 1-5' })
  t.deepEqual(triage?.sites, [{ site: 'tracker', tools: ['search_issues'], askFirst: [] }])
  t.deepEqual(more, [])
})

const wrong: [what: string, file: unknown, problem: string][] = [
  ['no JSON', '{ "name": ', 'which is not valid JSON'],
  ['no object', '4711', 'the file must be an object'],
  ['a missing member', { ...good, title: undefined }, 'title is missing'],
  ['an empty prompt', { ...good, systemPrompt: '' }, 'systemPrompt must not be empty'],
  ['an unknown member', { ...good, triger: 'manual' }, 'the file has an unknown member (did you mean trigger?)'],
  ['an unknown trigger', { ...good, trigger: 'cron' }, 'trigger must be one of manual, scheduled, webhook'],
  ['no schedule', { ...good, trigger: 'scheduled' }, 'A scheduled agent requires "cron" and "timeZone".'],
  ['a schedule that never comes', { ...good, trigger: 'scheduled', cron: '61 * * * *', timeZone: 'UTC' }, '61'],
  ['a schedule of a manual agent', { ...good, cron: '0 8 * * *' }, 'Only scheduled agents can have'],
  [
    'an approval of a tool that is not used',
    { ...good, sites: [{ site: 'tracker', tools: ['search_issues'], askFirst: ['delete_issue'] }] },
    'sites.0 lists a tool in askFirst that is missing in tools',
  ],
  ['no sample for a webhook', { ...webhook, sample: undefined }, 'sample must be an object'],
  ['a text as the sample for a webhook', { ...webhook, sample: 'It hangs' }, 'sample must be an object'],
  ['a sample of no form', { ...good, sample: 4711 }, 'sample must be an object or a string that is not empty'],
  [
    'a sample that the agent would refuse',
    { ...webhook, webhookSchema: [{ name: 'title', type: 'number' }] },
    'sample.title does not match webhookSchema. This field must be of type number, not string.',
  ],
]

for (const [what, content, problem] of wrong)
  test(`a template with ${what} is an error that names its file`, (t) => {
    const folder = folderWith(t, { 'bad.json': typeof content === 'string' ? content : JSON.stringify(content) })
    const [found = '', ...more] = problemsIn(t, () => readTemplates(folder))
    t.true(found.includes(join(folder, 'bad.json')), found)
    t.true(found.includes(problem), found)
    t.deepEqual(more, [])
  })

test('the name of a file must be fit for an address, and every bad file is named at once', (t) => {
  const folder = folderWith(t, { 'My triage.json': JSON.stringify(good), 'bad.json': '4711' })
  const problems = problemsIn(t, () => readTemplates(folder))
  t.is(problems.length, 2)
  t.true(problems.some((one) => one.includes('My triage.json: the file name must have only')))
})
