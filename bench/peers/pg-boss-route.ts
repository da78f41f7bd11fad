import { v5 } from 'uuid'
import { openBoss, queue } from './pg-boss.ts'
import { serve } from './route.ts'

const boss = await openBoss()

/** A job's id is unique in its queue, and ended jobs are kept for a week, so an id made of the sender's key is stored once. */
serve(({ agent, key, bytes }) => {
  const data = { agent, ...(JSON.parse(bytes.toString()) as object) }
  return boss.send(queue, data, { singletonKey: agent, ...(key !== undefined && { id: v5(key, agent) }) })
})
