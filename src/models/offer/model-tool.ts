import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import type { ProviderKind } from '../../config/models-config.ts'
import { describeTool, shownSchema } from '../tool-texts.ts'
import { fitSchema } from './fit-schema.ts'
import type { PropertyNames } from './property-names.ts'

export interface ModelTool {
  /** Already provider-safe, see nameTools. */
  name: string
  description: string
  inputSchema: object
  siteName?: string | undefined
}

export interface SentTool {
  tool: LanguageModelV4FunctionTool
  names: PropertyNames
}

/** The demo model reads any schema. */
export function sentTool(tool: ModelTool, kind: ProviderKind): SentTool {
  const { schema, conditions, names } = kind === 'demo' ? asItIs(tool) : fitSchema(tool.inputSchema, kind)
  const description = describeTool({ ...tool, conditions })
  return { tool: { type: 'function', name: tool.name, description, inputSchema: schema }, names }
}

const asItIs = ({ inputSchema }: ModelTool) => ({
  schema: { type: 'object' as const, properties: {}, ...shownSchema(inputSchema) },
  conditions: undefined,
  names: new Map<string, string>(),
})
