// @promise outages
import test from 'ava'
import { newId } from '../../../src/ids.ts'
import { createLogger } from '../../../src/logger.ts'
import { noSuchModel } from '../../../src/models/failures.ts'
import { createOutages } from '../../../src/outages/outages.ts'
import { eventually } from '../../helpers/eventually.ts'
import { sharedPlatform } from '../../helpers/shared.ts'

const platformOf = sharedPlatform(test, 'idle')

test('a look at the record while an outage is being recorded does not make a process forget it', async (t) => {
  const { database, clock, config, models } = (await platformOf()).services
  const step = () => Promise.reject(noSuchModel('any'))
  const logger = createLogger('silent', 'test')
  const outages = createOutages({ database, clock, config, logger, models: { hiding: models.hiding, step } })
  t.teardown(() => outages.close())
  await outages.round()
  const name = `out-${newId()}`
  const trx = await database.transaction()
  await trx.raw('lock table model_outages in share mode')
  const found = outages.isOut(name)
  await eventually(10, 'the outage is being recorded', async () => {
    const waiting = `select from pg_locks where relation = 'model_outages'::regclass and not granted`
    return (await database.raw<{ rows: object[] }>(waiting)).rows[0]
  })
  await outages.round()
  await trx.commit()
  t.true(await found)
  t.true(outages.areKnown())
  t.like(await database.transaction((other) => outages.of(other, name)), { model: name, endedAt: null })
  await outages.answered(name)
  t.false(outages.areKnown())
})
