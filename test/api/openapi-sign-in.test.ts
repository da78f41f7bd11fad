import { text } from 'node:stream/consumers'
import test from 'ava'
import * as manifests from '../../api/manifests.ts'
import * as oauth from '../../api/oauth.ts'
import * as siteInspection from '../../api/site-inspection.ts'
import * as vault from '../../api/vault.ts'
import { startApi } from '../helpers/api-server.ts'
import { call } from '../helpers/client.ts'
import { comeBack, openConnectUrl } from '../helpers/connect.ts'
import { startHttpsSite } from '../helpers/https-server.ts'
import { customer } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

const platformOf = forWholeFile(test, 'openapi-sign-in', (t) => startPlatform(t))

const client = { clientId: 'a-client-of-the-owner', clientSecret: 'a-secret-of-the-client' }
const tools = ['list_pets', 'add_pet']

const operation = (operationId: string, ...scopes: string[]) => ({ operationId, security: [{ signIn: scopes }] })
const pets = {
  'GET /pets': operation('list_pets', 'pets:read'),
  'POST /pets': operation('add_pet', 'pets:write', 'pets:read'),
  'DELETE /pets': operation('remove_pets', 'pets:admin'),
}

/** A document whose users sign in at these addresses. */
const signInAt = (authorizationUrl: string, tokenUrl: string) => ({
  components: {
    securitySchemes: {
      signIn: { type: 'oauth2', flows: { authorizationCode: { authorizationUrl, tokenUrl, scopes: {} } } },
    },
  },
})

test('an API with OAuth is connected with the client of its owner, for the scopes of the chosen tools', async (t) => {
  const platform = await platformOf()
  const requests: { form: URLSearchParams; authorization: string | undefined }[] = []
  const server = await startHttpsSite(t, (request, response) => {
    void (async () => {
      requests.push({ form: new URLSearchParams(await text(request)), authorization: request.headers.authorization })
      const tokens = { access_token: 'the-access-token-of-the-owner', token_type: 'bearer', expires_in: 3600 }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(tokens))
    })()
  })
  const page = `${server.origin}/authorize`
  const api = await startApi(t, pets, signInAt(page, `${server.origin}/token`))
  const other = await startApi(t, pets, signInAt(page, 'https://localhost/token'))
  const someone = await customer(platform)
  const inspect = async (url: string) => (await call(someone, siteInspection.inspectSite, { body: { url } })).body
  const found = await inspect(api.documentUrl)
  t.like(found, { authType: 'oauth2', needsClientId: true })
  // A document that names another server's page gets no code of it, because it has another redirect URI.
  t.not((await inspect(other.documentUrl)).redirectUri, found.redirectUri)

  const hosts = found.foreignHosts
  const start = (more: object) =>
    call(someone, oauth.startOAuth, { body: { url: api.documentUrl, acceptHosts: hosts, ...more } })
  t.deepEqual(
    (await start({ tools })).failure.details?.map(({ path }) => path),
    ['clientId'],
  )
  t.deepEqual(
    (await start(client)).failure.details?.map(({ path }) => path),
    ['tools'],
  )
  const started = (await start({ tools, ...client })).body
  t.deepEqual(started.scopes, ['pets:read', 'pets:write'])
  const { location, cookie } = await openConnectUrl(someone, started.connectUrl)
  const asked = Object.fromEntries(new URL(location).searchParams)
  t.like(asked, {
    client_id: client.clientId,
    scope: 'pets:read pets:write',
    redirect_uri: found.redirectUri,
    code_challenge_method: 'S256',
  })
  t.deepEqual([location.startsWith(`${page}?`), asked['resource']], [true, undefined])

  const back = `${found.redirectUri}?code=a-code&state=${asked['state']}`
  const { entryId = '' } = (await (await comeBack(someone, back, cookie)).json()) as { entryId?: string }
  const [exchange] = requests
  t.is(exchange?.authorization, `Basic ${Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64')}`)
  t.deepEqual([exchange?.form.get('redirect_uri'), exchange?.form.has('resource')], [found.redirectUri, false])
  const entry = (await call(someone, vault.getVaultEntry, { params: { entryId } })).body
  t.like(entry, { authType: 'oauth2', status: 'connected', scopes: ['pets:read', 'pets:write'], offersChoice: true })
  t.truthy((await call(someone, vault.callTool, { params: { entryId, toolName: 'add_pet' }, body: {} })).body.result)
  t.is(api.received.at(-1)?.headers.authorization, 'Bearer the-access-token-of-the-owner')
  t.is((await call(someone, manifests.refreshManifest, { params: { entryId } })).body.status, 'none')

  // A token that an owner has created at the service is used like every pasted one.
  const another = await customer(platform)
  const pasted = await call(another, vault.addToVault, {
    body: { url: api.documentUrl, token: 'a-personal-token', tools, acceptHosts: hosts },
  })
  t.is(pasted.body.authType, 'bearer')
  const ofPasted = { entryId: pasted.body.id }
  await call(another, vault.callTool, { params: { ...ofPasted, toolName: 'add_pet' }, body: {} })
  t.is(api.received.at(-1)?.headers.authorization, 'Bearer a-personal-token')
  t.is((await call(another, manifests.refreshManifest, { params: ofPasted })).body.status, 'none')

  // Authorizing again asks for what tools need that were chosen since.
  await call(someone, vault.chooseTools, { params: { entryId }, body: { tools: [...tools, 'remove_pets'] } })
  const note = async () => (await call(someone, vault.getVaultEntry, { params: { entryId } })).body.statusReason
  t.regex((await note()) ?? '', /pets:admin.*Authorize the site again/)
  await call(someone, vault.chooseTools, { params: { entryId }, body: { tools } })
  t.is(await note(), null)
  await call(someone, vault.chooseTools, { params: { entryId }, body: { tools: [...tools, 'remove_pets'] } })
  const again = await call(someone, oauth.startOAuth, { body: { entryId } })
  t.deepEqual(again.body.scopes.toSorted(), ['pets:admin', 'pets:read', 'pets:write'])
})
