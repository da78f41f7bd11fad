// @promise origins
import test from 'ava'
import { agentOf, customer, ended } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { start } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { openBrowser } from './open-browser.ts'
import { startWebsite } from './website.ts'

const open = forWholeFile(test, 'fetch in a browser', async (t) => {
  const [listed, other] = [await startWebsite(t), await startWebsite(t)]
  const platform = await startPlatform(t, { env: { CORS_ORIGINS: listed }, worker: true })
  const openPage = await openBrowser(t)
  const openAt = async (origin: string) => {
    const page = await openPage()
    await page.goto(origin)
    return page
  }
  return { platform, listed, other, openAt, someone: await customer(platform) }
})

interface Asked {
  url: string
  method?: string
  headers: Record<string, string>
  body?: string
}

/** Runs in the page. */
const fetched = async ({ url, ...init }: Asked) => {
  const response = await fetch(url, init)
  const id = response.headers.get('x-request-id')
  return { status: response.status, id, text: await response.text() }
}

test('a page of a listed origin calls the API with fetch, and reads the timeline of a run as a stream', async (t) => {
  const { platform, listed, openAt, someone } = await open()
  const page = await openAt(listed)
  const authorization = `Bearer ${someone.token}`
  const body = JSON.stringify({ name: 'From a page', systemPrompt: 'Report.', trigger: 'manual' })
  const headers = { authorization, 'content-type': 'application/json' }
  const made = await page.evaluate(fetched, { url: `${platform.url}/agents`, method: 'POST', headers, body })
  t.is(made.status, 201)
  t.regex(made.id ?? '', /^[0-9a-f-]{36}$/)
  const { id: agentId } = JSON.parse(made.text) as { id: string }
  const key = { authorization, 'idempotency-key': 'from-a-page' }
  const started = await page.evaluate(fetched, {
    url: `${platform.url}/agents/${agentId}/runs`,
    method: 'POST',
    headers: key,
  })
  const { id: runId } = JSON.parse(started.text) as { id: string }
  const stream = { authorization, accept: 'text/event-stream' }
  const read = await page.evaluate(fetched, { url: `${platform.url}/runs/${runId}/events`, headers: stream })
  t.regex(read.text, /event: ended\ndata: .*"status":"completed"/)
  const refused = await page.evaluate(fetched, {
    url: `${platform.url}/agents`,
    headers: { authorization: 'Bearer x' },
  })
  t.is(refused.status, 401)
})

test('a page of another origin reads nothing and changes nothing', async (t) => {
  const { platform, other, openAt, someone } = await open()
  const agent = await agentOf(someone)
  const page = await openAt(other)
  const headers = { authorization: `Bearer ${someone.token}` }
  for (const [method, path] of [
    ['GET', '/healthz'],
    ['GET', '/agents'],
    ['DELETE', `/agents/${agent.id}`],
  ] as const) {
    const asked = page.evaluate(fetched, { url: platform.url + path, method, headers })
    await t.throwsAsync(asked, { message: /Failed to fetch/ }, path)
  }
  t.is((await ended(someone, (await start(someone, agent)).body.id)).status, 'completed', 'it is still there')
})
