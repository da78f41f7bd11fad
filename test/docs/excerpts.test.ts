import test from 'ava'
import { missingFrom } from './excerpts.ts'

const output = `
→ POST /api/webhooks/agent/01a2ff00-9d59-7552-b927-3fb61eae5f00
{
  "event": "post.created",
  "title": "It hangs"
}
← 202

#1 started {"epoch":1,"prompt":"Hello"}

#2 ended {"at":"2027-01-01","site":"https://127.0.0.1:5501"}`

test('an excerpt may shorten and have other ids, times and ports', (t) => {
  const excerpt = [
    '→ POST /api/webhooks/agent/01a1fd80-9d59-7552-b927-3fb61eae5f08',
    '{ "event": "post.created", … }',
    '← 202',
    '#1 started {"epoch":1, …',
    '#2 ended {"at":"2026-…","site":"https://127.0.0.1:4401"}',
  ].join('\n')
  t.is(missingFrom(output, excerpt), undefined)
})

test('an excerpt has no line that was not printed, was changed, or has another place', (t) => {
  for (const line of ['#1 started {"epoch":2, …', '#3 ended …', '← 201', '{ "event": "post.deleted", … }'])
    t.is(missingFrom(output, line), line)
  t.is(missingFrom(output, '← 202\n→ POST …'), '→ POST …')
})
