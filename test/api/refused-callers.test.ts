import test from 'ava'
import type { AnyRoute } from '../../api/route/route.ts'
import { needsTerms } from '../../api/route/route-rules.ts'
import { routes } from '../../api/routes.ts'
import { person } from '../helpers/people.ts'
import { sessionOf, withToken } from '../helpers/sessions.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { openStage, paramsOf } from './stage.ts'

const open = forWholeFile(test, 'refused callers', openStage)

/** The code that a bare request to the route is answered with; undefined for a success. */
async function codeOf(route: AnyRoute, token: string, more: Record<string, string> = {}): Promise<string | undefined> {
  const { platform, params } = await open()
  const filled = paramsOf(route, params)
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(filled[name] ?? ''))
  const headers = { authorization: `Bearer ${token}`, ...more }
  const response = await fetch(platform.url + path, { method: route.method.toUpperCase(), redirect: 'manual', headers })
  return response.status < 400 ? undefined : ((await response.json()) as { code: string }).code
}

test('an API key that may only read is refused whatever would change something, on every route', async (t) => {
  const { readKey } = await open()
  const mine = routes.filter(({ access }) => access === 'account')
  for (const method of ['post', 'patch', 'delete']) t.true(mine.some((route) => route.method === method))
  for (const route of mine) {
    const code = await codeOf(route, readKey)
    if (route.method === 'get') t.not(code, 'PERMISSION_DENIED', route.name)
    else t.is(code, 'PERMISSION_DENIED', route.name)
  }
})

test('who has not accepted the terms is refused on every route that needs them', async (t) => {
  const { newcomer, platform } = await open()
  const { token } = await newcomer()
  // Its owner accepted other terms.
  const someone = await person(platform)
  const session = await sessionOf(someone)
  await platform.services.database('users').where({ email: someone.email }).update({ termsVersion: 'of old' })
  const bound = routes.filter(needsTerms)
  t.true(bound.length > 20)
  for (const route of bound) t.is(await codeOf(route, token, withToken(session)), 'TERMS_NOT_ACCEPTED', route.name)
})
