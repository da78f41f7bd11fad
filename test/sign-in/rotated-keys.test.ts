// @promise sign-in
import test from 'ava'
import { exportJWK, generateKeyPair } from 'jose'
import { sentBack, startBareIdentityProvider, type Deviation } from '../helpers/bare-identity-provider.ts'
import { movableClock } from '../helpers/clock.ts'
import { temporaryCertificates } from '../helpers/https-server.ts'
import { startPlatform } from '../helpers/platform.ts'
import { beginSignIn, environmentOf, visit, visitor } from '../helpers/sign-ins.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

const clock = movableClock()

const open = forWholeFile(test, 'rotated keys', async (t) => {
  const provider = await startBareIdentityProvider(t)
  const { caFile } = await temporaryCertificates()
  const platform = await startPlatform(t, { env: { ...environmentOf(provider), SITE_CA_FILE: caFile }, clock })
  return { provider, platform, readings: () => provider.requests.filter((path) => path.endsWith('/keys')).length }
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

/** The provider signs with one of its keys, and publishes the same one or another, for somebody with a new address. */
const signing = ({ sign, header }: Key, published: Key, more: Deviation = {}): Deviation => ({
  ...more,
  sign,
  header,
  keys: [published.jwk],
  claims: { email_verified: true, email: `somebody-${(count += 1)}@example.com` },
})

test.serial('once a provider signs with a new key, the next sign-in succeeds, and so do many at once', async (t) => {
  const { provider, readings } = await open()
  const keys = [await keyNamed('first'), await keyNamed('second'), await keyNamed('second')] as const
  for (const [index, key] of keys.entries()) {
    for (let times = 0; times < 2; times += 1) {
      provider.deviation = signing(key, key)
      t.is(await signIn(), 200, 'at once, also if it has the name of another one')
    }
    t.is(readings(), index + 1)
  }
  const last = await keyNamed('last')
  // Each has the same address, so all but one are refused after their tokens were found to be good.
  provider.deviation = signing(last, last)
  const statuses = await Promise.all(Array.from({ length: 10 }, () => signIn()))
  t.deepEqual(
    statuses.toSorted((one, other) => one - other),
    [200, ...Array<number>(9).fill(400)],
  )
  t.is(readings(), keys.length + 1, 'they wait for one request')
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
  provider.deviation = signing(key, key, {
    document: { jwks_uri: `${provider.origin}/gone` },
    answers: { '/gone': (_, response) => void response.writeHead(404).end() },
  })
  t.is(await signIn(), 403)
  provider.deviation = signing(key, key)
  clock.forward(11)
  t.is(await signIn(), 200)
})
