import test from 'ava'
import { quotedName } from '../../../src/notifications/plain-text.ts'

test('a name in a title is in quotation marks that it cannot close, on one line, and bounded', (t) => {
  t.is(quotedName('Issue tracker'), '"Issue tracker"')
  t.is(quotedName('Evil\r\nBcc: eve@example.com <script>'), '"Evil Bcc: eve@example.com <script>"')
  t.is(quotedName('X" needs your password: “https://evil.example”'), `"X' needs your password: 'https://evil.example'"`)
  t.is(quotedName('\u202eevil\u2066'), '"evil"')
  const long = quotedName('名'.repeat(500))
  t.is(Array.from(long).length, 62)
  t.true(long.endsWith('…"'))
})
