import test from 'ava'
import { shownUrl } from '../../../src/safe-fetch/shown-url.ts'

const shown: [url: string, as: string][] = [
  ['https://hooks.example.com/runs', 'https://hooks.example.com/runs'],
  ['https://hooks.example.com/runs?key=secret&b=1', 'https://hooks.example.com/runs?…'],
  ['https://hooks.example.com/#secret', 'https://hooks.example.com/?…'],
  ['https://me:secret@hooks.example.com:8443/a@b', 'https://…@hooks.example.com:8443/a@b'],
  ['https://me@x:secret@hooks.example.com', 'https://…@hooks.example.com'],
]

test('of an address no secret is shown', (t) => {
  for (const [url, as] of shown) t.is(shownUrl(url), as)
})
