import { makeWorkerUtils } from 'graphile-worker'
import { serve } from './route.ts'
import { required } from './settings.ts'

const utils = await makeWorkerUtils({ connectionString: required('DATABASE_URL'), maxPoolSize: 10 })
await utils.migrate()

/** A queue per agent, whose jobs run one after another. A key counts until its job has ended and is deleted. */
serve(async ({ agent, key, bytes }) => {
  const payload = { agent, ...(JSON.parse(bytes.toString()) as object) }
  const once = key !== undefined && ({ jobKey: `${agent}:${key}`, jobKeyMode: 'unsafe_dedupe' } as const)
  return (await utils.addJob('append', payload, { queueName: agent, ...once })).id
})
