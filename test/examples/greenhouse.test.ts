import * as vault from '../../api/vault.ts'
import { checkSite } from '../../check-site/check-site.ts'
import { burst, finds, found, thorough } from '../helpers/defects-of-sites/reports.ts'
import { call } from '../helpers/client.ts'
import { startGreenhouse } from '../helpers/greenhouse.ts'
import { person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { testWith } from '../helpers/programs.ts'
import { askSite } from '../helpers/sites.ts'

const test = testWith('python3')

// @promise check-site
test('the checker has nothing against the greenhouse, and tries everything', async (t) => {
  const { origin, host, gardener, visitor, caFile, lines } = await startGreenhouse(t)
  const report = await checkSite({
    ...thorough,
    ...burst,
    token: gardener,
    limitedToken: visitor,
    site: origin,
    allow: [host],
    caFile,
  })
  finds(t, report, {})
  t.deepEqual(found(report, 'skipped', 'absent'), [])
  t.false(lines.slice(3).some((line) => line.includes(gardener)))
})

test('the platform connects the greenhouse and waters a plant', async (t) => {
  const { origin, host, gardener, visitor, caFile } = await startGreenhouse(t)
  const platform = await startPlatform(t, { env: { SITE_ALLOW: host, SITE_CA_FILE: caFile } })
  const connect = async (token: string) => {
    const someone = await person(platform)
    const { id: entryId } = (await call(someone, vault.addToVault, { body: { url: origin, token } })).body
    return (body: Record<string, unknown>) =>
      call(someone, vault.callTool, { params: { entryId, toolName: 'water_plant' }, body })
  }

  const water = await connect(gardener)
  t.like((await water({ plant: 2, millilitres: 300 })).body, {
    result: { id: 2, name: 'Tomato', millilitres: 1200, watered_by: 'gardener' },
  })
  const unknown = await water({ plant: 9, millilitres: 1 })
  t.regex(unknown.failure.error, /There is no plant 9\. list_plants has the numbers\./)
  const forbidden = await (await connect(visitor))({ plant: 2, millilitres: 1 })
  t.regex(forbidden.failure.error, /which visitor does not have/)
})

test('a repeated Idempotency-Key waters a plant once, and not with other arguments', async (t) => {
  const { origin, gardener } = await startGreenhouse(t)
  const water = (millilitres: number, headers: Record<string, string>) =>
    askSite(`${origin}/api/tools/water_plant`, { token: gardener, headers, body: { plant: 1, millilitres } })
  const key = { 'Idempotency-Key': 'run:1:1' }
  t.is((await water(50, key)).json()['millilitres'], 300)
  t.is((await water(50, key)).json()['millilitres'], 300)
  t.is((await water(60, key)).status, 422)
  t.is((await water(50, { 'Idempotency-Key': 'run:1:2' })).json()['millilitres'], 350)
  // Without a key every call counts.
  t.is((await water(50, {})).json()['millilitres'], 400)
  t.is((await water(50, {})).json()['millilitres'], 450)
})

test('the greenhouse says what is wrong with arguments', async (t) => {
  const { origin, gardener } = await startGreenhouse(t)
  const errorOf = async (tool: string, body: unknown) => {
    const answer = await askSite(`${origin}/api/tools/${tool}`, { token: gardener, body })
    return [answer.status, answer.json()['error']]
  }
  t.deepEqual(await errorOf('water_plant', { plant: 1 }), [400, 'millilitres is missing.'])
  t.deepEqual(await errorOf('water_plant', { plant: true, millilitres: 1 }), [
    400,
    'plant must be of the type integer.',
  ])
  t.deepEqual(await errorOf('water_plant', { plant: 1, millilitres: 2001 }), [400, 'millilitres must be 2000 or less.'])
  t.deepEqual(await errorOf('water_plant', { plant: 1, millilitres: 0 }), [400, 'millilitres must be 1 or more.'])
  t.deepEqual(await errorOf('list_plants', { bed: 'east' }), [400, 'bed must be one of north, south.'])
  t.deepEqual(await errorOf('list_plants', { colour: 'red' }), [400, 'There is no argument colour.'])
  t.deepEqual(await errorOf('list_plants', '{'), [400, 'The body is not JSON.'])
})
