/** The members of the OpenAPI document that the reference shows. */

export interface Schema {
  $ref?: string
  type?: string
  format?: string
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  example?: unknown
  schema: Schema
}

interface Content {
  schema: Schema
  example?: unknown
  examples?: Record<string, { $ref: string }>
}

export interface Response {
  description: string
  content?: Record<string, Content>
}

export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  security: Record<string, unknown>[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: { 'application/json': Content } }
  responses: Record<string, Response>
}

export interface ApiDocument {
  servers: { url: string }[]
  tags: { name: string; description?: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: {
    schemas: Record<string, Schema>
    examples: Record<string, { value: unknown }>
    securitySchemes: Record<string, { description?: string; in?: string; name?: string }>
  }
}

/** An operation with its method and path, or a request that the platform sends, which has no path. */
export interface Place {
  method: string
  path: string | undefined
  operation: Operation
}

/** The operations of the document in its order, followed by the requests that the platform sends. */
export const placesIn = ({ paths, webhooks }: ApiDocument): Place[] => [
  ...Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  ),
  ...Object.values(webhooks).map(({ post }) => ({ method: 'post', path: undefined, operation: post })),
]

/** The last part of a reference such as `#/components/schemas/Agent`. */
export const nameOf = (ref: string): string => ref.split('/').at(-1) ?? ''

export const titleOf = (tag: string): string => `${tag.slice(0, 1).toUpperCase()}${tag.slice(1).replaceAll('-', ' ')}`

export const hrefOfTag = (tag: string): string => `/docs/api/${encodeURIComponent(tag)}`

export const hrefOf = ({ tag, name }: { tag: string; name: string }): string => `${hrefOfTag(tag)}#${name}`
