// @promise bad-requests
import test from 'ava'
import { routes } from '../../api/routes.ts'
import { newId } from '../../src/ids.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { send, type RawAnswer } from './raw-http.ts'

const open = sharedPlatform(test, 'idle')

/** Without a token, so that nothing is done; identifiers are well-formed and of nobody. */
async function ask(method: string, path: string): Promise<RawAnswer> {
  const { url } = await open()
  return send(url, { method, path: path.replaceAll(/\{\w+\}/g, () => newId()) })
}

const declared = new Map<string, string[]>()
for (const { path, method } of routes) {
  const more = method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]
  declared.set(path, [...(declared.get(path) ?? []), ...more])
}
for (const path of ['/openapi.json', '/docs', '/docs/search', '/docs/api', '/docs/reference/errors', '/'])
  declared.set(path, ['GET', 'HEAD'])

const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'PURGE']

const allowIn = ({ headers }: RawAnswer): string[] => String(headers['allow']).split(', ').toSorted()

test('a method that a path is not declared for is METHOD_NOT_ALLOWED, and Allow lists those that it is', async (t) => {
  for (const [index, [path, methods]] of [...declared].entries()) {
    const wrong = others.filter((one) => !methods.includes(one))
    // Each path with one of them, and the first with all.
    for (const method of index === 0 ? wrong : [wrong[index % wrong.length] ?? 'PURGE']) {
      const answer = await ask(method, path)
      t.is(answer.status, 405, `${method} ${path}`)
      t.deepEqual(allowIn(answer), [...methods, 'OPTIONS'].toSorted(), `${method} ${path}`)
      if (method !== 'HEAD') t.is(answer.code, 'METHOD_NOT_ALLOWED', `${method} ${path}`)
      else t.is(answer.text, '')
    }
  }
})

test('a path of words is not taken for one with an identifier', async (t) => {
  t.true(declared.has('/vault/inspect') && declared.get('/vault/{entryId}')?.includes('DELETE'))
  const answer = await ask('DELETE', '/vault/inspect')
  t.is(answer.code, 'METHOD_NOT_ALLOWED')
  t.deepEqual(allowIn(answer), ['OPTIONS', 'POST'])
})

test('OPTIONS says what a path takes, and does nothing', async (t) => {
  for (const [path, methods] of [...declared].filter((_, index) => index % 8 === 0)) {
    const answer = await ask('OPTIONS', path)
    t.deepEqual([answer.status, answer.text], [204, ''], path)
    t.deepEqual(allowIn(answer), [...methods, 'OPTIONS'].toSorted(), path)
    t.is(answer.headers['access-control-allow-origin'], undefined)
  }
})

test('HEAD is answered as GET is, without the body', async (t) => {
  let paths = 0
  for (const [path, methods] of declared) {
    if (!methods.includes('GET')) continue
    if (path.includes('{') && (paths += 1) % 8 > 0) continue
    const [head, get] = [await ask('HEAD', path), await ask('GET', path)]
    t.is(head.text, '', path)
    // The pages of OAuth and of sign-in may be usable only once, so HEAD does not look at what they name.
    if (!/^\/(vault\/oauth|auth\/oidc)\//.test(path)) t.is(head.status, get.status, path)
  }
})

test('an unknown path is NOT_FOUND, whatever the method', async (t) => {
  for (const path of ['/nonsense', '/agents/a/b/c', '/Agents', '//agents', '/agents//', '/docs/nonsense'])
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE']) {
      const { status, code, headers } = await ask(method, path)
      t.deepEqual([status, code, headers['allow']], [404, 'NOT_FOUND', undefined], `${method} ${path}`)
    }
})

test('a slash at the end makes no other path, on every route', async (t) => {
  // These name a provider, an issuer or a request of an app, of which there is none, or are there with Stripe only.
  for (const { method, path, name } of routes.filter(
    ({ name }) =>
      !['startSignIn', 'receiveStripeEvent', 'finishForeignOAuth', 'readOAuthClient', 'openAppRequest'].includes(name),
  ))
    t.not((await ask(method.toUpperCase(), `${path}/`)).code, 'NOT_FOUND', name)
})

test('the address of the API leads people to its documentation', async (t) => {
  const { url } = await open()
  const { status, headers } = await ask('GET', '/')
  t.deepEqual([status, headers['location']], [302, '/docs'])
  const page = await fetch(url)
  t.deepEqual([page.status, new URL(page.url).pathname], [200, '/docs'])
})
