import type { ProviderKind } from '../../config/models-config.ts'
import { nameTools } from '../tool-names.ts'
import type { ModelTool } from './model-tool.ts'

export interface OfferableTool {
  entryId: string
  siteName: string
  siteOrigin: string
  tool: { name: string; description: string; inputSchema: object }
}

export interface LeftOut {
  name: string
  origin: string
  reason: 'too_many_tools' | 'refused_tools'
  /** The site's names of the tools; the first ones if there are many. */
  tools: string[]
}

/** The tools that a model is offered, and those that are left out. */
export interface ToolOffer<Tool extends OfferableTool> {
  tools: (Tool & { name: string })[]
  leftOut: LeftOut[]
}

export const usualMostTools = 128

/** Providers without a known limit. */
const unlimited = new Set<ProviderKind>(['anthropic', 'amazon-bedrock', 'demo'])

const mostNames = 100

/**
 * Names the tools for a model. Omits tools that its provider has rejected, and the last ones if there are more than it
 * accepts.
 */
export function offerTools<Tool extends OfferableTool>(
  tools: Tool[],
  kind: ProviderKind,
  { isRefused, mostTools }: { isRefused: (tool: ModelTool) => boolean; mostTools: number },
): ToolOffer<Tool> {
  const named = nameTools(tools.map(({ entryId, siteName, tool }) => ({ site: entryId, siteName, tool: tool.name })))
  const all = named.map(({ name }, index) => ({ name, ...(tools[index] as Tool) }))
  const { taken = [], refused = [] } = Object.groupBy(all, (one) => (isRefused(toModelTool(one)) ? 'refused' : 'taken'))
  const most = Math.min(unlimited.has(kind) ? Infinity : usualMostTools, mostTools)
  return {
    // Always the same order: providers cache prompts, which begin with the tools.
    tools: taken.slice(0, most).toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    leftOut: [...leftOut(refused, 'refused_tools'), ...leftOut(taken.slice(most), 'too_many_tools')],
  }
}

export function leftOut(tools: OfferableTool[], reason: LeftOut['reason']): LeftOut[] {
  const named = Map.groupBy(tools.slice(0, mostNames), ({ entryId }) => entryId)
  return [...named.values()].map((ofSite) => ({
    name: ofSite[0]?.siteName ?? '',
    origin: ofSite[0]?.siteOrigin ?? '',
    reason,
    tools: ofSite.map(({ tool }) => tool.name),
  }))
}

export const toModelTool = ({
  name,
  siteName,
  tool: { description, inputSchema },
}: OfferableTool & { name: string }): ModelTool => ({ name, siteName, description, inputSchema })
