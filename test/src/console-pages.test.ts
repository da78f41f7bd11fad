import test from 'ava'
import * as pages from '../../src/console-pages.ts'

const { origin } = new URL('https://switchyard.example.com')

test('every page is below the console, whatever is in an id or a token', (t) => {
  const paths: [path: string, page: (text: string) => string][] = [
    ['/console/agents/an-id', pages.agentPage],
    ['/console/approvals/an-id', pages.approvalPage],
    ['/console/runs/an-id', pages.runPage],
    ['/console/sites/an-id', pages.vaultEntryPage],
    ['/console/verify#token=an-id', pages.verifyPage],
    ['/console/reset#token=an-id', pages.resetPage],
    ['/console/invitation#token=an-id', pages.invitationPage],
    ['/console/first#an-id', pages.firstAdminPage],
  ]
  for (const [path, page] of paths) {
    t.is(page('an-id'), path)
    const odd = new URL(page('../../a?b#c&d=é '), origin)
    t.is(odd.pathname.split('/').length, path.split('/').length, path)
    t.is(odd.search, '')
    t.is(decodeURIComponent(odd.href).replace('../../a?b#c&d=é ', 'an-id'), `${origin}${path}`)
  }
})

test('a secret is in the fragment of a page only', (t) => {
  for (const page of [pages.verifyPage, pages.resetPage, pages.invitationPage, pages.firstAdminPage]) {
    const { pathname, search, hash } = new URL(page('a-secret'), origin)
    t.false(`${pathname}${search}`.includes('a-secret'))
    t.true(hash.includes('a-secret'))
  }
})
