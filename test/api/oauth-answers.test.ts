import type { RequestListener } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import * as vault from '../../api/vault.ts'
import type { ErrorCode } from '../../src/errors.ts'
import { tokenAnswer } from '../helpers/bare-oauth-site.ts'
import { call } from '../helpers/client.ts'
import { answering } from '../helpers/hostile-site.ts'
import { oauthStages, type OAuthStage } from './oauth-stage.ts'

/** What the token address may answer when a code comes, and what must come of it. */

const open = oauthStages(test)

/** Looks at what came of something; no secret may be in the log afterwards. */
const tried = (title: string, work: (t: ExecutionContext, stage: OAuthStage) => Promise<void>) =>
  test(title, async (t) => {
    const stage = await open(t)
    await work(t, stage)
    stage.assertSilent()
  })

/** Comes back from the site when its token address answers so; what the flow says must be what the client is told. */
async function exchangeWith(t: ExecutionContext, stage: OAuthStage, answer: RequestListener) {
  stage.site.token = answer
  const attempt = await stage.begin()
  const back = await stage.finish(attempt)
  t.deepEqual(await stage.entriesOf(), [])
  const flow = await stage.flowOf(attempt)
  t.like(flow, { status: 'failed', entryId: null, code: back.body.code, message: back.body.error })
  return back
}

/** One of each kind that the readers tell apart, with the code that is told. */
const noGrants: [what: string, answer: RequestListener, code: ErrorCode][] = [
  ['another type of token', answering(tokenAnswer({ token_type: 'mac' })), 'TOOL_EXECUTION_ERROR'],
  ['an error with status 200', answering({ error: 'invalid_grant' }), 'TOOL_EXECUTION_ERROR'],
  ['100 KB', answering(tokenAnswer({ padding: 'x'.repeat(100_000) })), 'TOOL_EXECUTION_ERROR'],
  ['500', (_request, response) => void response.writeHead(500).end('<p>'), 'TOOL_EXECUTION_ERROR'],
  ['half of a text', answering('{"a":'), 'TOOL_EXECUTION_ERROR'],
  ['a cut', (_request, response) => void response.socket?.destroy(), 'SITE_UNAVAILABLE'],
]

tried('a token answer that is no grant connects nothing, and what it was is told', async (t, stage) => {
  for (const [what, answer, code] of noGrants) t.is((await exchangeWith(t, stage, answer)).body.code, code, what)
  t.is(stage.site.tokenForms.length, noGrants.length)
})

tried('a refusal that quotes what was sent is told without it', async (t, stage) => {
  const quoting: RequestListener = (_request, response) => {
    const sent = stage.site.tokenForms.at(-1)
    const [code = '', verifier = ''] = ['code', 'code_verifier'].map((name) => sent?.get(name) ?? '')
    const refusal = { error: 'invalid_grant', error_description: `${code} with ${verifier} is over` }
    response.writeHead(400, { 'Content-Type': 'application/json' }).end(JSON.stringify(refusal))
  }
  const { body } = await exchangeWith(t, stage, quoting)
  t.is(body.error, 'The site responded with “invalid_grant: [token] with [token] is over”.')
})

tried('a site that grants more than was asked for gives no more than that', async (t, stage) => {
  stage.site.token = answering(tokenAnswer({ scope: 'read write delete admin' }))
  const entryId = await stage.connect(stage.site, { tools: ['act'] })
  const { body } = await call(stage.someone, vault.getVaultEntry, { params: { entryId } })
  t.deepEqual(body.scopes, ['read'])
  const used = await call(stage.someone, vault.callTool, { params: { entryId, toolName: 'change' }, body: {} })
  t.is(used.failure.code, 'PERMISSION_DENIED')
  t.deepEqual(stage.site.toolTokens, [])
})

tried('a grant that cannot be kept is given back to the site', async (t, stage) => {
  const first = await stage.begin()
  const second = await stage.begin()
  t.is((await stage.finish(first)).status, 200)
  const late = tokenAnswer()
  stage.site.token = answering(late)
  const answer = await stage.finish(second)
  t.is(answer.body.code, 'TOKEN_EXISTS')
  t.deepEqual(
    stage.site.revokeForms.map((form) => form.get('token')),
    [late.refresh_token],
  )
  t.is((await stage.entriesOf()).length, 1)
  t.like(await stage.flowOf(second), { status: 'failed', code: 'TOKEN_EXISTS' })
})
