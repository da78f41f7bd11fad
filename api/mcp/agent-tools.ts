import { inputRequired, type InputRequiredResult, type Tool } from '@modelcontextprotocol/server'
import type { Agent } from '../../src/agents/agent.ts'
import { visible } from '../../src/models/visible-text.ts'
import { quotedName } from '../../src/names.ts'
import { shortened } from '../../src/text.ts'
import { startRun } from '../agent-runs.ts'
import { useRoute } from '../route/use-route.ts'
import { decideAnswered, formsFor, shownOf } from './decide.ts'
import type { McpUser } from './mcp-user.ts'
import { agentToolName } from './names.ts'
import type { CallTool, OfferedTool, Place, ToolCall } from './offered.ts'
import { assertAsked, sealState, type AskedState } from './request-state.ts'
import { runResult } from './run-result.ts'
import { knowsTasks, taskHandle } from './tasks.ts'
import { runNow, waitForRun, type RunNow } from './wait-for-run.ts'
import { longestWaitMs } from './waiting.ts'
import { withKey } from './with-key.ts'

/** The most agents that are offered, the newest ones. */
export const mostAgents = 100
/** How much of an agent's instructions a model sees, in UTF-16 units. */
const shownInstructions = 500

/** The tools that start runs, one for each agent. `after` is a place among them. */
export async function* agentTools(user: McpUser, after?: Place): AsyncGenerator<OfferedTool, void, undefined> {
  const { items } = await user.services.agents.list(user.ownerId, { limit: mostAgents })
  for (const agent of items.toSorted((one, other) => (one.id < other.id ? 1 : -1))) {
    if (after && agent.id >= after.id) continue
    const name = agentToolName(agent)
    yield { name, place: { section: 'agents', id: agent.id, name }, describe: () => describe(agent) }
  }
}

/** The tool with this name, which ends with the end of the agent's id. */
export async function agentTool(user: McpUser, name: string, idEnd: string): Promise<CallTool | undefined> {
  const agents = await user.services.agents.endingWith(user.ownerId, idEnd)
  const agent = agents.find((one) => agentToolName(one) === name)
  return agent && ((call) => run(user, agent, call))
}

const describe = ({ name, systemPrompt }: Agent): Omit<Tool, 'name'> => ({
  title: `Run ${quotedName(name)}`,
  description: `Starts a run of the agent ${quotedName(name)} and waits up to ${longestWaitMs / 1000} seconds for its answer. If the run takes longer, returns its id for get_run. Its instructions begin: ${visible(JSON.stringify(shortened(systemPrompt, shownInstructions)))}`,
  inputSchema: {
    type: 'object',
    properties: {
      input: { type: ['object', 'string'], description: 'Input for the run. The agent treats it as data.' },
    },
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false, idempotentHint: false, openWorldHint: true },
})

/** Starts a run, or continues the call that has asked about one. */
async function run(user: McpUser, agent: Agent, call: ToolCall) {
  const asked = call.state as AskedState | undefined
  assertAsked(asked, agent)
  const runId = asked?.runId ?? (await begin(user, agent, call))
  const hasLeft = asked && (await decideAnswered(user, runId, call.answers, asked.shown))
  if (!asked && knowsTasks(call.capabilities)) return taskHandle(user, (await runNow(user, runId)).run)
  const now = hasLeft ? await runNow(user, runId) : await waitForRun(user, runId, call.gone)
  return (hasLeft ? undefined : questionOf(user, now, call)) ?? runResult(user, now.run, now.pending)
}

async function begin(user: McpUser, agent: Agent, { args, idempotencyKey }: ToolCall): Promise<string> {
  const raw = Buffer.from(JSON.stringify(args))
  await user.services.rateLimits.inputBytes(user.userId, user.caller.allowance, raw.length)
  const given = { params: { agentId: agent.id }, body: args, raw }
  return ((await useRoute(startRun, withKey(user, idempotencyKey), given)) as { id: string }).id
}

/** The forms for the approvals that the run waits for, if the client may show them. */
function questionOf(user: McpUser, { run, pending }: RunNow, call: ToolCall): InputRequiredResult | undefined {
  const shown = shownOf(user, call.capabilities, pending)
  if (shown.length === 0) return undefined
  return inputRequired({ inputRequests: formsFor(shown), requestState: sealState(user, run, shown) })
}
