import type { MissingSite } from '../agents/agent-sites.ts'
import type { Hiding } from '../hiding/hiding.ts'
import type { ModelTool } from '../models/offer/model-tool.ts'
import { leftOut, toModelTool } from '../models/offer/offer.ts'
import type { Models } from '../models/models.ts'
import type { UsableTool } from '../vault/usable-tools.ts'

/** A tool as it was offered to the model, with its name there. */
export type OfferedTool = UsableTool & { name: string }

/** What the sites of a run or a chat offer now. */
interface Found {
  tools: UsableTool[]
  missing?: MissingSite[]
  /** The access tokens of the sites, in plain text. */
  tokens: string[]
}

/** What a model is offered in a step, the sites that are missing, and the secrets that nobody may read. */
export interface Offer {
  tools: OfferedTool[]
  missing: MissingSite[]
  tokens: string[]
  hiding: Hiding
}

/** Throws MODEL_ERROR if the model is not configured. */
export async function offerTo(
  models: Pick<Models, 'offer' | 'hiding'>,
  { model, ownerId, secrets = [] }: { model: string; ownerId: string; secrets?: string[] },
  { tools: found, missing = [], tokens }: Found,
): Promise<Offer> {
  const { tools, leftOut: not } = models.offer(model, ownerId, found)
  return { tools, missing: [...missing, ...not], tokens, hiding: await models.hiding([...secrets, ...tokens]) }
}

export const modelTools = ({ tools }: Offer): ModelTool[] => tools.map(toModelTool)

/** What the model was offered in the end: without the tools that its provider refused. */
export function withoutRefused(offer: Offer, names: string[] = []): Offer {
  const { tools, missing } = offer
  const { kept = [], refused = [] } = Object.groupBy(tools, ({ name }) => (names.includes(name) ? 'refused' : 'kept'))
  return { ...offer, tools: kept, missing: [...missing, ...leftOut(refused, 'refused_tools')] }
}
