import test from 'ava'
import { toolsOf, whatStartDoes, whenItRuns } from '../../console/screens/start/template-words.ts'

const tracker = {
  site: 'tracker',
  address: 'https://tracker.example.com' as string | null,
  available: true,
  tools: ['search_issues', 'delete_closed_issues'],
  askFirst: ['delete_closed_issues'],
}
const forum = { ...tracker, site: 'forum', address: 'https://127.0.0.1:4401', tools: ['search_issues'], askFirst: [] }

const table = [
  [
    'manual',
    [tracker],
    [
      'Connects “tracker” at tracker.example.com, unless it is in your vault already.',
      'Creates an agent named “Triage”.',
      'Starts one run with a sample as its input.',
    ],
  ],
  [
    'scheduled',
    [tracker, forum],
    [
      'Connects “tracker” at tracker.example.com and “forum” at 127.0.0.1:4401, unless it is in your vault already.',
      'Creates an agent named “Triage”.',
      'Starts one run now, and then follows the schedule.',
    ],
  ],
  [
    'webhook',
    [{ ...tracker, address: null, available: false }],
    ['Creates an agent named “Triage”.', 'Starts one run with a sample delivery, and then waits for real ones.'],
  ],
] as const

for (const [trigger, sites, sentences] of table)
  test(`a ${trigger} template says what it does with ${sites.length} sites before it starts`, (t) =>
    t.deepEqual(whatStartDoes({ name: 'Triage', trigger, sites: [...sites] }), [...sentences]))

test('a template says when its agent runs', (t) => {
  t.deepEqual(
    (['manual', 'scheduled', 'webhook'] as const).map((trigger) => whenItRuns({ trigger })),
    ['When you start it', 'On a schedule', 'For each webhook delivery'],
  )
})

test('tools of two sites with one name are two tools, and some need approval', (t) => {
  t.deepEqual(toolsOf({ sites: [tracker, forum] }), [
    { key: 'tracker search_issues', name: 'search_issues', asksFirst: false },
    { key: 'tracker delete_closed_issues', name: 'delete_closed_issues', asksFirst: true },
    { key: 'forum search_issues', name: 'search_issues', asksFirst: false },
  ])
})
