// @promise sign-in
import test from 'ava'
import { exportJWK, generateKeyPair } from 'jose'
import { sentBack, startBareIdentityProvider, type Deviation } from '../helpers/bare-identity-provider.ts'
import { movableClock } from '../helpers/clock.ts'
import { temporaryCertificates } from '../helpers/https-server.ts'
import { clientSecret } from '../helpers/identity-provider.ts'
import { startPlatform } from '../helpers/platform.ts'
import { beginSignIn, visit, visitor } from '../helpers/sign-ins.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

const clock = movableClock()

const open = forWholeFile(test, 'rotated keys', async (t) => {
  const provider = await startBareIdentityProvider(t)
  const { caFile } = await temporaryCertificates()
  const env = { OIDC_ISSUER: provider.origin, OIDC_CLIENT_ID: 'switchyard', OIDC_CLIENT_SECRET: clientSecret }
  const sites = { allow: [provider.host], caFile } as never
  return { provider, platform: await startPlatform(t, { env, sites, clock }) }
})

let count = 0

/** Signs somebody in whom nobody knows yet; the status of the answer. */
async function signIn(): Promise<number> {
  const { provider, platform } = await open()
  const by = visitor()
  const back = sentBack(provider, await beginSignIn(platform, by, 'oidc'), `somebody-${(count += 1)}`)
  return (await visit(platform, by, back.href)).status
}

/** A new key of the provider. */
async function keyNamed(kid: string) {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  return { sign: privateKey, header: { kid }, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' } }
}

type Key = Awaited<ReturnType<typeof keyNamed>>

const addresses = { email_verified: true }
/** The provider signs with one of its keys, and publishes all. */
const signing = ({ sign, header }: Key, ...published: Key[]): Deviation => ({
  sign,
  header,
  keys: published.map(({ jwk }) => jwk),
  claims: { ...addresses, email: `somebody-${newNumber()}@example.com` },
})

let number = 0
const newNumber = () => (number += 1)

const readings = ({ requests }: { requests: string[] }): number =>
  requests.filter((path) => path.endsWith('/keys')).length

test.serial('once a provider signs with a new key, the next sign-in succeeds, and so do many at once', async (t) => {
  const { provider } = await open()
  const [first, second] = [await keyNamed('first'), await keyNamed('second')]
  provider.deviation = signing(first, first)
  t.is(await signIn(), 200)
  provider.deviation = signing(first, first)
  t.is(await signIn(), 200)
  t.is(readings(provider), 1)
  provider.deviation = signing(second, second)
  t.is(await signIn(), 200, 'at once')
  t.is(readings(provider), 2)
  const third = await keyNamed('third')
  // Each has the same address, so all but one are refused after their tokens were found to be good.
  provider.deviation = signing(third, third)
  const statuses = await Promise.all(Array.from({ length: 10 }, () => signIn()))
  t.deepEqual(
    [200, 400].map((status) => statuses.filter((one) => one === status).length),
    [1, 9],
  )
  t.is(readings(provider), 3, 'they wait for one request')
})

test.serial('a key that takes the name of another one is found, too', async (t) => {
  const { provider } = await open()
  const [before, after] = [await keyNamed('same'), await keyNamed('same')]
  provider.deviation = signing(before, before)
  t.is(await signIn(), 200)
  provider.deviation = signing(after, after)
  t.is(await signIn(), 200)
})

test.serial('a key that was withdrawn counts for five minutes at most', async (t) => {
  const { provider } = await open()
  const [stolen, other] = [await keyNamed('stolen'), await keyNamed('other')]
  provider.deviation = signing(stolen, stolen)
  t.is(await signIn(), 200)
  clock.forward(301)
  provider.deviation = signing(stolen, other)
  t.is(await signIn(), 403)
  provider.deviation = signing(other, other)
  t.is(await signIn(), 200)
})

test.serial('a provider whose addresses have changed is asked again within seconds', async (t) => {
  const { provider, platform } = await open()
  const key = await keyNamed('moved')
  platform.services.signIn.forget()
  provider.deviation = {
    ...signing(key, key),
    document: { jwks_uri: `${provider.origin}/gone` },
    answers: { '/gone': (_, response) => void response.writeHead(404).end() },
  }
  t.is(await signIn(), 403)
  provider.deviation = signing(key, key)
  clock.forward(11)
  t.is(await signIn(), 200)
})
