import { openBoss, queue } from './pg-boss.ts'
import { append } from './work.ts'

// It looks this often for jobs whose heartbeats are missing.
const boss = await openBoss({ superviseIntervalSeconds: 5, monitorIntervalSeconds: 5 })
const options = { batchSize: 1, localConcurrency: 10, pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 0.5 }
await boss.work<{ agent: string; number: number }>(queue, options, async ([job]) => {
  if (job) await append(job.data)
})
console.log('{"msg":"ready"}')
