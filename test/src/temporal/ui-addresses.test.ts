import test from 'ava'
import * as auth from '../../../api/auth.ts'
import { temporalUiAddresses } from '../../../src/temporal/ui-addresses.ts'
import { adminOf } from '../../helpers/admins.ts'
import { call } from '../../helpers/client.ts'
import { person } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'

test('addresses in the Temporal web interface have the namespace and the ids of workflows', (t) => {
  const at = 'https://temporal.example/namespaces/a%20place'
  t.deepEqual(temporalUiAddresses({ uiUrl: 'https://temporal.example', namespace: 'a place' }), {
    run: `${at}/workflows/run%2F{id}`,
    queue: `${at}/workflows/agent%2F{id}`,
    schedule: `${at}/schedules/cron%2F{id}`,
  })
})

test('without the address of the interface there are none', (t) =>
  t.is(temporalUiAddresses({ uiUrl: undefined, namespace: 'default' }), null))

test('only admins are told where the Temporal web interface is', async (t) => {
  const platform = await startPlatform(t, { env: { TEMPORAL_UI_URL: 'https://temporal.example/' } })
  const toldTo = async (someone: { url: string; token: string }) => (await call(someone, auth.me)).body.temporalUi
  t.is((await toldTo(await adminOf(platform)))?.run, 'https://temporal.example/namespaces/default/workflows/run%2F{id}')
  t.is(await toldTo(await person(platform)), null)
})
