import test from 'ava'
import { readConnectSearch, siteAddress } from '../../console/screens/sites/connect/connect-search.ts'

for (const [typed, address] of [
  ['tracker.example.com', 'https://tracker.example.com'],
  [' https://tracker.example.com/ ', 'https://tracker.example.com/'],
  ['http://tracker.example.com', 'http://tracker.example.com'],
  ['document:0198a3c2', 'document:0198a3c2'],
  ['localhost:4401', 'https://localhost:4401'],
  ['https://ada:secret@tracker.example.com/a@b', 'https://tracker.example.com/a@b'],
  ['ada:sec@ret@tracker.example.com', 'https://tracker.example.com'],
] as const) {
  test(`"${typed}" means the address ${address}`, (t) => {
    t.is(siteAddress(typed), address)
  })
}

test('the address of the page names a site or an entry, and nothing else', (t) => {
  t.deepEqual(readConnectSearch({ url: 'https://a.example', entry: 7, more: 'x' }), {
    url: 'https://a.example',
    entry: undefined,
  })
  t.deepEqual(readConnectSearch({ url: '', entry: 'an-id' }), { url: undefined, entry: 'an-id' })
})
