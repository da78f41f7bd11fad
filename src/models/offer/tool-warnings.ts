import type { SiteTool } from '../../sites/tool.ts'
import { isDescriptionCut, isNoteCut } from '../tool-texts.ts'
import { fitSchema } from './fit-schema.ts'
import { usualMostTools } from './offer.ts'

/** A part of a tool that models do not see as the site wrote it. */
export interface ToolWarning {
  tool: string
  message: string
}

type Warned = Pick<SiteTool, 'name' | 'description' | 'inputSchema'>

/** The parts of a site's tools that models do not see, or that providers would reject. */
export const toolWarnings = (siteName: string, tools: Warned[]): ToolWarning[] => [
  ...tools.flatMap((tool) => messagesOf(siteName, tool).map((message) => ({ tool: tool.name, message }))),
  ...tools.slice(usualMostTools, usualMostTools + 1).map(({ name: tool }) => ({
    tool,
    message: `many models accept at most ${usualMostTools} tools, so they will not see this tool or the ones after it`,
  })),
]

function messagesOf(siteName: string, { description, inputSchema }: Warned): string[] {
  const { changes, conditions } = fitSchema(inputSchema, 'openai')
  const isCut = isDescriptionCut({ siteName, description, conditions })
  return [
    ...changes,
    ...(isCut ? ['its description is too long, so models receive only about the first 900 characters'] : []),
    ...(isNoteCut(inputSchema) ? ['texts longer than 300 characters in its schema are shortened for models'] : []),
  ]
}
