// @promise neighbours
import test from 'ava'
import { createTestDatabase } from '../helpers/database.ts'
import { eventually } from '../helpers/eventually.ts'
import { startPlatform } from '../helpers/platform.ts'
import { openDoorTo } from '../helpers/door.ts'

test('a process says that it is not ready while its database is silent, and is ready as soon as it is back', async (t) => {
  const { url } = await createTestDatabase(t)
  const network = await openDoorTo(t, new URL(url).host)
  const platform = await startPlatform(t, { env: { DATABASE_URL: network.through(url) } })
  const ask = () => fetch(`${platform.url}/readyz`)
  const isReady = () => eventually(20, 'it is ready', async () => (await ask()).status === 200 || undefined)
  await isReady()
  network.hold()
  const began = Date.now()
  const answer = await ask()
  t.is(answer.status, 500)
  t.regex(await answer.text(), /cannot reach its database/)
  // Queries wait for 35 s.
  t.true(Date.now() - began < 20_000)
  await network.open()
  await isReady()
})
