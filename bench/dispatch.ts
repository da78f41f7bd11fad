import { startChatServer } from '../test/helpers/chat-server.ts'
import { openDispatch } from './drain/dispatch.ts'
import { openPlain } from './drain/plain.ts'
import { inMilliseconds, measureInTurn, timeRows } from './shared/compare.ts'
import { temporaryFolder as folder } from './shared/folder.ts'
import { writeModelsFile } from './shared/models-file.ts'
import { numbersGiven } from './shared/options.ts'
import { publish } from './shared/report.ts'
import { openBenchServers } from './shared/servers.ts'

/**
 * `npm run bench -- dispatch [--rounds 5] [--runs 8]`: the time on an idle system from sending a delivery until the
 * run's first request arrives at the model, beside the time from the start of an empty workflow until the first step of
 * its child begins.
 */
const { rounds, runs } = numbersGiven({ rounds: 5, runs: 8 })

const model = await startChatServer(() => ({ text: 'done' }))
const servers = await openBenchServers(folder, true, { MODELS_FILE: writeModelsFile(folder, model.url, 128_000) })
try {
  const dispatch = await openDispatch(servers, model)
  const plain = await openPlain(servers)
  await dispatch.measure(3)
  await plain.timeToStep(3)
  const sides = [
    { name: 'Switchyard, from sending a delivery to the model', measure: () => dispatch.measure(runs) },
    { name: 'an empty workflow, from its start to its first step', measure: () => plain.timeToStep(runs) },
  ]
  const measured = await measureInTurn(sides, rounds, inMilliseconds)
  publish({
    title: 'From a delivery to the model',
    text: [
      `The time on an idle system until work begins, one run at a time, ${rounds * runs} on each side, in ${rounds} ` +
        'rounds, in which both take turns. In Switchyard: from sending a delivery to an agent without a queue in ' +
        "Temporal until the run's first request has arrived at the model. In the same Temporal without Switchyard: from " +
        'the start of a workflow until the first step of its child begins, with the same shape and nothing recorded. The ' +
        'ratio divides the median time of Switchyard by that of the line.',
    ],
    columns: ['side', 'median ms', 'p95 ms', 'ratio'],
    rows: timeRows(measured),
    notes: [`From the answer to the delivery: ${inMilliseconds(dispatch.fromAnswer.slice(-rounds * runs))}`],
  })
  await plain.close()
} finally {
  await servers.close()
  await model.close()
}
