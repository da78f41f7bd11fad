// @promise outages
import test from 'ava'
import { newId } from '../../../src/ids.ts'
import { createLogger } from '../../../src/logger.ts'
import { noSuchModel } from '../../../src/models/failures.ts'
import { Outage } from '../../../src/outages/outage.ts'
import { createOutages } from '../../../src/outages/outages.ts'
import { shiftedClock } from '../../helpers/clock.ts'
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

test.serial(
  'an outage is of one model, goes on if it comes back within ten minutes, and is another one later',
  async (t) => {
    const { database, config, models } = (await platformOf()).services
    const clock = shiftedClock()
    const [one, other] = [`one-${newId()}`, `other-${newId()}`]
    const asked: string[] = []
    function step({ model }: { model: string }) {
      asked.push(model)
      return Promise.reject(Object.assign(noSuchModel(model), { retryAfter: 900 }))
    }
    const logger = createLogger('silent', 'test')
    /** A process: each asks a model every five seconds at most. In this one the other model is configured. */
    function start() {
      const configured = { ...config.models, models: [{ name: other, id: 'any', provider: 'demo' }] }
      const context = {
        database,
        clock,
        logger,
        config: { models: configured },
        models: { hiding: models.hiding, step },
      }
      const outages = createOutages(context)
      t.teardown(() => outages.close())
      return outages
    }
    const rowsOf = (model: string) => Outage.query(database).where({ model }).orderBy('beganAt')
    async function goesOut(model: string) {
      const outages = start()
      t.true(await outages.isOut(model))
      return outages
    }
    const [former, lasting] = [await goesOut(one), await goesOut(other)]
    const [first] = await rowsOf(one)
    const ms = (first?.nextProbeAt.getTime() ?? 0) - (first?.beganAt.getTime() ?? 0)
    t.is(ms, 300_000, 'no provider is left unasked for longer')
    await former.answered(one)
    t.not((await rowsOf(one))[0]?.endedAt, null)
    t.is((await rowsOf(other))[0]?.endedAt, null)
    clock.forward(590)
    const again = await goesOut(one)
    t.like(await rowsOf(one), { 0: { id: first?.id, beganAt: first?.beganAt, endedAt: null }, length: 1 })
    await again.answered(one)
    clock.forward(610)
    await goesOut(one)
    t.is((await rowsOf(one)).length, 2)

    clock.forward(400)
    asked.length = 0
    const looking = start()
    await looking.round()
    t.not((await rowsOf(one))[1]?.endedAt, null, 'nobody has it, and nobody waits for it')
    t.is((await rowsOf(other))[0]?.endedAt, null)
    await eventually(10, 'the one that is out is asked', () => asked.includes(other) || undefined)
    t.deepEqual(asked, [other])
    await looking.close()
    clock.forward(91 * 86_400)
    await former.purge()
    t.deepEqual([await rowsOf(one), (await rowsOf(other)).length], [[], 1], 'what lasts is not forgotten')
    await lasting.answered(other)
  },
)
