import { readDocument } from '../../../../../../src/sites/dialects/openapi/document/read-document.ts'
import type { DocumentToRead, OperationRequest } from '../../../../../../src/sites/dialects/openapi/operation.ts'
import type { Manifest } from '../../../../../../src/sites/manifest.ts'
import type { ManifestTool } from '../../../../../../src/sites/tool.ts'

type Document = Record<string, unknown>

export const address = 'https://docs.example.com/v1/openapi.json'
export const minimal = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: 'https://api.example.com/v1/' }],
}

/** What is read from a document, with defaults for what it lacks, or from a text. */
export function read(document: Document | string, given: Partial<DocumentToRead> = {}) {
  const text = typeof document === 'string' ? document : JSON.stringify({ ...minimal, ...document })
  return readDocument({ address, bytes: Buffer.from(text), referenced: {}, chosen: [], ...given })
}

/** As `read`, of a document that is usable. */
export function found(document: Document | string, ...chosen: string[]) {
  const result = read(document, { chosen })
  if (!('manifest' in result)) throw new Error(JSON.stringify(result))
  const manifest = JSON.parse(result.manifest) as Omit<Manifest, 'auth'> & { auth: Record<string, unknown> }
  return { ...result, manifest, tools: manifest.tools as (ManifestTool & { request: OperationRequest })[] }
}

interface Read {
  /** Empty if the operation becomes no tool. */
  input_schema: Document
  request: OperationRequest | undefined
  /** Why it becomes none. */
  problem: string
}

/** The tool that an operation becomes. */
export function toolOf(operation: Document, { method = 'post', path = '/pets', ...more }: Document = {}): Read {
  const paths = { [String(path)]: { [String(method)]: { operationId: 'act', ...operation } }, '/x': { get: {} } }
  const { tools, manifest } = found({ paths, ...more }, 'act')
  const problem = manifest.left_out?.[0]?.problem ?? ''
  return { input_schema: {}, request: undefined, ...tools[0], problem }
}

/** The schema of a body with this schema, without the property around it. */
export function bodySchema(schema: unknown, more: Document = {}): unknown {
  const { input_schema } = toolOf({ requestBody: { content: { 'application/json': { schema } } } }, more)
  return (input_schema['properties'] as Document | undefined)?.['body']
}
