import ava from 'ava'
import * as vault from '../../api/vault.ts'
import { checkSite } from '../../check-site/check-site.ts'
import { burst, finds, found, thorough } from '../helpers/defects-of-sites/reports.ts'
import { call } from '../helpers/client.ts'
import { startGreenhouse } from '../helpers/greenhouse.ts'
import { person } from '../helpers/people.ts'
import { testWith } from '../helpers/programs.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { askSite } from '../helpers/sites.ts'

const test = testWith('python3')
const house = sharedPlatform(ava, 'idle')

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

test('the platform connects the greenhouse and waters a plant, once for each key', async (t) => {
  const { origin, gardener, visitor } = await startGreenhouse(t)
  const platform = await house()
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

  const directly = (tool: string, body: unknown, key?: string) =>
    askSite(`${origin}/api/tools/${tool}`, {
      token: gardener,
      body,
      ...(key !== undefined && { headers: { 'Idempotency-Key': key } }),
    })
  const small = { plant: 1, millilitres: 50 }
  for (const [key, millilitres] of [
    ['run:1:1', 300],
    ['run:1:1', 300],
    ['run:1:2', 350],
    // Without a key every call counts.
    [undefined, 400],
    [undefined, 450],
  ] as const)
    t.is((await directly('water_plant', small, key)).json()['millilitres'], millilitres)
  t.is((await directly('water_plant', { ...small, millilitres: 60 }, 'run:1:1')).status, 422)
  for (const [tool, body, error] of [
    ['water_plant', { plant: 1 }, 'millilitres is missing.'],
    ['water_plant', { plant: true, millilitres: 1 }, 'plant must be of the type integer.'],
    ['water_plant', { plant: 1, millilitres: 2001 }, 'millilitres must be 2000 or less.'],
    ['list_plants', { bed: 'east' }, 'bed must be one of north, south.'],
    ['list_plants', { colour: 'red' }, 'There is no argument colour.'],
    ['list_plants', '{', 'The body is not JSON.'],
  ] as const) {
    const answer = await directly(tool, body)
    t.deepEqual([answer.status, answer.json()['error']], [400, error])
  }
})
