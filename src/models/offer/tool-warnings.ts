import type { SiteTool } from '../../sites/tool.ts'
import { fitSchema } from './fit-schema.ts'
import { usualMostTools } from './offer.ts'

/** Something of a tool that models are not sent as the site wrote it. */
export interface ToolWarning {
  tool: string
  message: string
}

/** What providers would refuse of a site's tools. */
export const toolWarnings = (tools: Pick<SiteTool, 'name' | 'inputSchema'>[]): ToolWarning[] => [
  ...tools.flatMap(({ name: tool, inputSchema }) =>
    fitSchema(inputSchema, 'openai').changes.map((message) => ({ tool, message })),
  ),
  ...tools.slice(usualMostTools, usualMostTools + 1).map(({ name: tool }) => ({
    tool,
    message: `many models take ${usualMostTools} tools at most: this one and those after it are not offered to them`,
  })),
]
