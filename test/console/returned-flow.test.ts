import test from 'ava'
import { flowInWords, pageToReturnTo } from '../../console/parts/returned-flow.ts'

test('the browser returns to the page that is open, without a search that is too long', (t) => {
  const pathname = '/console/w/me/sites/connect'
  t.is(pageToReturnTo({ pathname, search: '?url=a' }), `${pathname}?url=a`)
  t.is(pageToReturnTo({ pathname, search: `?url=${'a'.repeat(512)}` }), pathname)
})

const origin = 'https://tracker.example.com'

for (const [status, message, kind, text] of [
  ['connected', null, 'done', /tracker\.example\.com is connected/],
  ['failed', 'Access was denied at the site.', 'problem', /^Access was denied at the site\.$/],
  ['expired', null, 'problem', /was not connected\. Start again\.$/],
  ['pending', null, 'problem', /was not connected/],
] as const) {
  test(`a flow that is ${status} is told as ${String(text)}`, (t) => {
    const told = flowInWords({ status, message, origin, entryId: null })
    t.is(told.kind, kind)
    t.regex(told.text, text)
  })
}
