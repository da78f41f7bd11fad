import type { MissingSite } from '../agents/agent-sites.ts'
import type { Hiding } from '../hiding/hiding.ts'
import type { ModelTool } from '../models/offer/model-tool.ts'
import { leftOut, toModelTool, type OfferableTool } from '../models/offer/offer.ts'
import type { Models } from '../models/models.ts'
import type { SiteTool } from '../sites/tool.ts'

/** A tool of a connected site. */
export interface LoopTool extends OfferableTool {
  tool: SiteTool
}

/** What the sites of a run or a chat offer now. */
interface Found<Tool extends LoopTool> {
  tools: Tool[]
  missing?: MissingSite[]
  /** The access tokens of the sites, in plain text. */
  tokens: string[]
}

/** What a model is offered in a step, the sites that are missing, and the secrets that nobody may read. */
export interface Offer<Tool extends LoopTool> {
  tools: (Tool & { name: string })[]
  missing: MissingSite[]
  tokens: string[]
  hiding: Hiding
}

/** Throws MODEL_ERROR if the model is not configured. */
export async function offerTo<Tool extends LoopTool>(
  models: Pick<Models, 'offer' | 'hiding'>,
  { model, ownerId, secrets = [] }: { model: string; ownerId: string; secrets?: string[] },
  { tools: found, missing = [], tokens }: Found<Tool>,
): Promise<Offer<Tool>> {
  const { tools, leftOut: not } = models.offer(model, ownerId, found)
  return { tools, missing: [...missing, ...not], tokens, hiding: await models.hiding([...secrets, ...tokens]) }
}

export const modelTools = ({ tools }: Offer<LoopTool>): ModelTool[] => tools.map(toModelTool)

/** What the model was offered in the end: without the tools that its provider refused. */
export function withoutRefused<Tool extends LoopTool>(offer: Offer<Tool>, names: string[] = []): Offer<Tool> {
  const { tools, missing } = offer
  const { kept = [], refused = [] } = Object.groupBy(tools, ({ name }) => (names.includes(name) ? 'refused' : 'kept'))
  return { ...offer, tools: kept, missing: [...missing, ...leftOut(refused, 'refused_tools')] }
}
