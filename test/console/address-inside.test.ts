import test from 'ava'
import { addressInside, workspaceIn } from '../../console/screens/account/address-inside.ts'

const home = '/console/'
const workspace = '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a02'

/** What an address asks for, and where the reader goes. */
const addresses: [from: string | undefined, to: string][] = [
  [undefined, home],
  ['', '/console/'],
  ['/', '/console/'],
  ['/w/me/runs', '/console/w/me/runs'],
  ['/console', '/console'],
  ['/console/w/me/runs?status=failed#step-3', '/console/w/me/runs?status=failed#step-3'],
  ['w/me', '/console/w/me'],
  ['/consoles/x', '/console/consoles/x'],
  // Other hosts, in every spelling that a browser takes for one.
  ['https://evil.example/console/', home],
  ['//evil.example/console/', home],
  ['\\\\evil.example', home],
  ['/\\evil.example', home],
  ['/\t/evil.example', home],
  ['\n//evil.example', home],
  ['https:\\\\evil.example', home],
  ['https://console.invalid@evil.example/', home],
  ['https://evil@console.invalid/', home],
  ['https://console.invalid:444/', home],
  ['http://console.invalid/', home],
  ['https://', home],
  ['http://[', home],
  // A path that would be read as a host stays behind /console.
  ['https://console.invalid//evil.example', '/console//evil.example'],
  ['/console/..//evil.example', '/console//evil.example'],
  // Programs and contents.
  ['javascript:alert(1)', home],
  ['JaVaScRiPt:alert(1)', home],
  ['data:text/html,<script>alert(1)</script>', home],
  ['blob:https://console.invalid/x', home],
  // Other pages of this host.
  ['/console/../auth/logout', '/console/auth/logout'],
  ['/console/%2e%2e/docs', '/console/docs'],
  ['/console/..%2fdocs', '/console/..%2fdocs'],
  // Back to the same page, or to one that sends on.
  ['/console/sign-in?from=/w/me', home],
  ['/sign-in', home],
  ['/terms?from=%2Fterms', home],
  // More than the API takes.
  [`/w/me/runs?since=${'1'.repeat(500)}`, home],
  // Markup and quotes arrive encoded.
  ['/w/"><script>alert(1)</script>', '/console/w/%22%3E%3Cscript%3Ealert(1)%3C/script%3E'],
]

for (const [from, to] of addresses)
  test(`the address ${JSON.stringify(from)?.slice(0, 60)} leads to ${to.slice(0, 60)}`, (t) => {
    const address = addressInside(from)
    t.is(address, to)
    t.regex(address, /^\/console(?:[/?#]|$)/)
    t.is(new URL(address, 'https://here.example').origin, 'https://here.example')
  })

for (const [address, found] of [
  [`/console/w/${workspace}`, workspace],
  [`/console/w/${workspace}/runs?status=failed`, workspace],
  ['/console/w/me', undefined],
  [`/console/w/${workspace}x`, undefined],
  [`/console/runs/${workspace}`, undefined],
  ['/console/w/../../auth', undefined],
] as const)
  test(`${address} is of ${found === undefined ? 'no workspace' : 'a workspace'}`, (t) =>
    t.is(workspaceIn(address), found))
