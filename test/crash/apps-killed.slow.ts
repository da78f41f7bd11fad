// @promise apps
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import * as apps from '../../api/apps.ts'
import * as audit from '../../api/audit.ts'
import { allow, browserOf, goBack, newApp, openRequest, post, signIn } from '../helpers/app-sign-in.ts'
import { call } from '../helpers/client.ts'
import { customer } from '../helpers/people.ts'
import { measured } from './record.ts'
import { openStage } from './stage.ts'

const kills = 6

/** Repeats what failed because nobody listened or answered, with the same input, as clients do. */
function persistent() {
  const counts = { repeats: 0 }
  async function repeat<T>(step: () => Promise<T>): Promise<T> {
    for (;;)
      try {
        return await step()
      } catch (error) {
        if (!/ECONNRE|fetch failed|socket hang up|other side closed|terminated/.test(String(error))) throw error
        counts.repeats += 1
        await delay(50)
      }
  }
  return { counts, repeat }
}

test('an API that is killed again and again in sign-ins of apps and renewals of tokens loses no answer and no app', async (t) => {
  const stage = await openStage(t, {
    env: { RATE_LIMIT_AUTH_PER_MINUTE: '100000', RATE_LIMIT_BROWSER_PER_MINUTE: '100000' },
  })
  let api = await stage.startApi()
  const someone = { ...(await customer(stage.platform)), url: api.url }
  const { counts, repeat } = persistent()
  const over = new AbortController()
  let [renewals, answers] = [0, 0]

  const signedIn = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const app = newApp(someone)
      await signIn(app, await browserOf(someone))
      return app
    }),
  )
  const renewing = signedIn.map(async ({ stored, tokens }) => {
    let token = tokens().refresh_token
    const { client_id: id } = stored.client as { client_id: string }
    while (!over.signal.aborted) {
      const form = { grant_type: 'refresh_token', client_id: id, refresh_token: token }
      const { status, body } = await repeat(() => post(api.url, '/mcp/token', form))
      t.is(status, 200, JSON.stringify(body))
      token = String(body['refresh_token'])
      renewals += 1
    }
  })

  /** Answers requests. An answer that was accepted leads to a code, whatever is killed on the way. */
  async function answering(): Promise<void> {
    const browser = await repeat(() => browserOf(someone))
    const path = await newApp(someone).ask()
    while (!over.signal.aborted) {
      const request = await repeat(() => openRequest(browser, path))
      const accepted = await allow(browser, request).catch(() => undefined)
      if (accepted?.status !== 201) continue
      const back = await repeat(() => goBack(browser, accepted.text))
      t.not(back.searchParams.get('code'), null, back.search)
      answers += 1
    }
  }
  const running = Promise.all([...renewing, answering()])
  running.catch(() => undefined)
  for (let killed = 0; killed < kills; killed += 1) {
    await delay(300 + Math.random() * 1500)
    await api.kill()
    api = await stage.startApi()
  }
  over.abort()
  await running
  measured(t, `${renewals} renewals and ${answers} answers through ${kills} kills; ${counts.repeats} requests repeated`)
  t.true(renewals > 20 && answers > 0 && counts.repeats > kills)
  const { items } = (await call(someone, apps.listApps)).body
  t.true(items.length >= signedIn.length)
  const steps = (await call(someone, audit.listAudit, { query: { limit: '100' } })).body.items
  t.deepEqual(
    steps.filter(({ action }) => action === 'endApp'),
    [],
  )
})
