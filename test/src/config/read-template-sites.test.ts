import test from 'ava'
import { readTemplateSites } from '../../../src/config/read-template-sites.ts'
import { fileWith, problemsIn } from './files.ts'

const tracker = { origin: 'https://tracker.example.com', token: 'canary' }

test('templates have the sites of a file, and without one none', (t) => {
  t.deepEqual(readTemplateSites({}), {})
  t.deepEqual(readTemplateSites({ TEMPLATE_SITES_FILE: fileWith(t, { tracker }) }), { tracker })
})

test('all that is wrong with the sites of templates is said at once, and no value is quoted', (t) => {
  const problemsOf = (content: unknown) =>
    problemsIn(t, () => readTemplateSites({ TEMPLATE_SITES_FILE: fileWith(t, content) }))
  t.deepEqual(
    problemsOf({
      path: { ...tracker, origin: 'https://tracker.example.com/' },
      plain: { ...tracker, origin: 'http://tracker.example.com' },
      broken: { ...tracker, token: 'canary canary' },
      silent: { origin: tracker.origin },
      more: { ...tracker, password: 'canary' },
    }),
    [
      'path.origin must be an origin, such as https://tracker.example.com',
      'plain.origin must be an origin, such as https://tracker.example.com',
      'broken.token must be 1 to 8192 visible characters',
      'silent.token is missing',
      'more has an unknown member. Allowed members: origin, token',
    ].map((problem) => `TEMPLATE_SITES_FILE: ${problem}`),
  )
  t.regex(problemsOf('{ "canary')[0] ?? '', /^TEMPLATE_SITES_FILE names \S+, which is not valid JSON/)
})
