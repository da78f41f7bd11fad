// @promise bad-requests
import test from 'ava'
import * as auth from '../../api/auth.ts'
import { routes } from '../../api/routes.ts'
import * as webhooks from '../../api/webhooks.ts'
import { newId } from '../../src/ids.ts'
import { presets } from '../../src/webhooks/presets.ts'
import { webhookProofs } from '../../src/agents/agent.ts'
import { call } from '../helpers/client.ts'
import { customer, webhookAgent } from '../helpers/people.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { firstTime } from './first-time.ts'
import { send } from './raw-http.ts'
import * as agents from '../../api/agents.ts'

const platformOf = sharedPlatform(test, 'idle')
const open = forWholeFile(test, 'challenges', async () => {
  const platform = await platformOf()
  return { platform, owner: await customer(platform, 'team') }
})

const bearer = 'Bearer realm="Switchyard"'
const refused = `${bearer}, error="invalid_token"`

test('every route that needs a token asks for one, and says so if the one that came was refused', async (t) => {
  const { platform } = await open()
  const protectedRoutes = routes.filter(({ access }) => access !== 'anyone')
  t.true(protectedRoutes.length > 50)
  const isNew = firstTime()
  for (const { name, method, path, access } of protectedRoutes) {
    const ask = async (headers: Record<string, string>) => {
      const filled = path.replaceAll(/\{\w+\}/g, () => newId())
      const answer = await send(platform.url, { method: method.toUpperCase(), path: filled, headers })
      t.is(answer.status, 401, name)
      return answer.headers['www-authenticate']
    }
    t.is(await ask({}), bearer, name)
    if (isNew(access, method)) t.is(await ask({ authorization: 'Bearer not.a.token' }), refused, name)
  }
})

test('each reason for which a token is refused is an invalid_token, and other schemes are not', async (t) => {
  const { platform, owner } = await open()
  const { body } = await call(platform, auth.login, { body: { email: owner.email, password: owner.password } })
  await call({ url: platform.url, token: body.accessToken }, auth.logout)
  const ask = async (authorization: string) => {
    const { code, headers } = await send(platform.url, { path: '/auth/me', headers: { authorization } })
    return [code, headers['www-authenticate']]
  }
  t.deepEqual(await ask(`Bearer ${body.accessToken}`), ['TOKEN_REVOKED', refused])
  t.deepEqual(await ask(`bearer ${body.accessToken}x`), ['INVALID_TOKEN', refused])
  t.deepEqual(await ask(`Bearer sy_key_${'a'.repeat(43)}`), ['INVALID_TOKEN', refused])
  t.deepEqual(await ask(`Bearer ${'a'.repeat(9000)}`), ['INVALID_TOKEN', refused])
  t.deepEqual(await ask('Basic YTpi'), ['UNAUTHORIZED', bearer])
  t.deepEqual(await ask('Bearer '), ['UNAUTHORIZED', bearer])
})

test('a webhook without its proof is told by the challenge which header is missing', async (t) => {
  const { owner } = await open()
  const agent = await webhookAgent(owner)
  const params = { agentId: agent.id }
  const headers = { 'x-webhook-secret': 'wrong' }
  for (const webhookProof of webhookProofs.filter((one) => one !== 'standard-webhooks')) {
    await call(owner, agents.updateAgent, { params, body: { webhookProof } })
    const answer = await call({ url: owner.url }, webhooks.receiveWebhook, { params, headers, body: {} as never })
    const expected = `Webhook realm="Switchyard", header="${presets[webhookProof].header}"`
    t.deepEqual([answer.status, answer.headers.get('www-authenticate')], [401, expected], webhookProof)
  }
  const delivery = { agentId: agent.id, runId: newId() }
  const read = await call({ url: owner.url }, webhooks.getDelivery, { params: delivery, headers })
  t.is(read.headers.get('www-authenticate'), 'Webhook realm="Switchyard", header="X-Webhook-Secret"')
})
