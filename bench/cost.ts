import { Client, Connection } from '@temporalio/client'
import { deliver } from '../test/helpers/people.ts'
import { agentQueueId } from '../workflows/messages.ts'
import { historiesOf } from './cost/histories.ts'
import { countStatements, databaseWork, statementLibrary } from './cost/postgres.ts'
import { actionsInWords, costRows } from './cost/table.ts'
import { openPlain } from './drain/plain.ts'
import { openQueues } from './drain/queue.ts'
import { temporaryFolder as folder } from './shared/folder.ts'
import { numbersGiven } from './shared/options.ts'
import { publish } from './shared/report.ts'
import { openBenchServers } from './shared/servers.ts'

/**
 * `npm run bench -- cost [--runs 100] [--idle 20]`: what a run of one step costs in Temporal and Postgres, beside an
 * empty child workflow of the same shape. The count of runs must fit into one execution of the queue.
 */
const { runs, idle } = numbersGiven({ runs: 100, idle: 20 })

const servers = await openBenchServers(folder, true, {}, [statementLibrary])
const connection = await Connection.connect({ address: servers.temporal })
const client = new Client({ connection })
try {
  const queues = await openQueues(servers)
  const plain = await openPlain(servers)
  const [agent, other] = await queues.agents(2)
  if (!agent || !other) throw new Error('there are no agents')
  await queues.measure([other], 10)
  await client.workflow.getHandle(agentQueueId(other.id)).result()
  await countStatements(servers.database)

  const database = await databaseWork(servers.database, idle, async () => {
    // One at a time, because simultaneous deliveries share transactions.
    for (let number = 0; number < runs; number += 1) {
      const { status } = await deliver(servers, agent, { number })
      if (status !== 202) throw new Error(`a delivery was answered with ${status}`)
    }
    // Waiting in Temporal takes no statements.
    await client.workflow.getHandle(agentQueueId(agent.id)).result()
  })
  const handle = await plain.start(runs)
  await handle.result()
  const ours = await historiesOf(client, agentQueueId(agent.id), runs)
  const theirs = await historiesOf(client, handle.workflowId, runs)
  publish({
    title: 'What a run costs',
    text: [
      `A run of one step with the demo model, from its delivery to its end: the average of ${runs} runs of one agent, ` +
        `whose deliveries came one after another. Beside it, the average of ${runs} empty child workflows of the same ` +
        'shape, which record nothing in Postgres. The ratio divides the figure of Switchyard by the other.',
      'Temporal reports events and bytes. Billable actions are counted in the histories, by the list of Temporal Cloud: ' +
        'starts of workflows, signals, activities, local activities, timers and changes of search attributes. Each ' +
        'local activity counts, although Temporal Cloud bills those of one workflow task as one. Heartbeats, retries and ' +
        'fairness are in no history and are not counted. Postgres counts statements (except begin and ' +
        'commit), transactions and rows; what an idle platform does in the same time is subtracted. The bytes of ' +
        'the database include indexes and free space.',
    ],
    columns: ['for one run', 'Switchyard', 'empty child workflow', 'ratio'],
    rows: costRows({ runs, ours, theirs, database }),
    notes: [
      `Actions of Switchyard: ${actionsInWords(ours, runs)}`,
      `Actions of the empty child workflow: ${actionsInWords(theirs, runs)}`,
    ],
  })
  await plain.close()
} finally {
  await connection.close()
  await servers.close()
}
