import type { Receipt } from '../src/runs/accept/receipt.ts'
import type { Services } from '../src/services.ts'

/** A receipt as its sender sees it. */
export const presentReceipt = async (services: Services, agentId: string, given: Receipt) => ({
  ...given,
  statusUrl: `${services.config.http.baseUrl}/api/webhooks/agent/${agentId}/runs/${given.runId}`,
  ...(given.status === 'failed' && (await afterFailure(services, given.runId))),
})

/** A repeated delivery asks for processing, but only the owner can replay a failed run. */
async function afterFailure({ runs }: Services, runId: string) {
  const replay = await runs.reading.replayOf(runId)
  if (!replay) return { message: `The run of this delivery has failed. ${toReplay(runId)}` }
  const message = `The run of this delivery has failed. Its replay is run ${replay.runId} (${replay.status}).`
  return {
    message: replay.status === 'failed' ? `${message} ${toReplay(replay.runId)}` : message,
    replayedBy: replay,
  }
}

const toReplay = (runId: string): string =>
  `Sending the delivery again does not start a new run. The agent's owner can replay it with POST /runs/${runId}/replay.`
