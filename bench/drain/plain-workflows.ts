import { executeChild, proxyActivities, proxyLocalActivities } from '@temporalio/workflow'
import { modelOptions, recordOptions } from '../../workflows/options.ts'

/** Empty workflows with the shape of the queue and run workflows, for a run of one step. */

export interface PlainActivities {
  record(): Promise<void>
  step(): Promise<void>
}

const { record } = proxyLocalActivities<PlainActivities>(recordOptions)
const { step } = proxyActivities<PlainActivities>(modelOptions)

export async function plainQueue(count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    await record()
    await executeChild(plainRun)
  }
}

export async function plainRun(): Promise<void> {
  await step()
  await record()
}
