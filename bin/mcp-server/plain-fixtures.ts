import { setTimeout as delay } from 'node:timers/promises'
import { completable, ResourceNotFoundError, ResourceTemplate, type McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { picture, png, resourceOf, wav, words } from './contents.ts'

const pauseMs = 50

/** Tools that answer at once, or after some messages. */
export function registerTools(server: McpServer): void {
  const tool = (name: string, content: Parameters<typeof answer>[0]) =>
    server.registerTool(name, { description: `Test tool ${name}` }, () => answer(content))
  tool('test_simple_text', [words('This is a simple text response for testing.')])
  tool('test_image_content', [picture])
  tool('test_audio_content', [{ type: 'audio', data: wav, mimeType: 'audio/wav' }])
  tool('test_embedded_resource', [
    resourceOf('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ])
  tool('test_multiple_content_types', [
    words('Multiple content types test:'),
    picture,
    resourceOf('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ])
  server.registerTool('test_error_handling', { description: 'Always fails' }, () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
  for (const name of ['test_tool_with_logging', 'test_logging_tool'])
    server.registerTool(name, { description: 'Logs while it works' }, async ({ mcpReq }) => {
      for (const said of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await mcpReq.log('info', said)
        await delay(pauseMs)
      }
      return answer([words('The tool has logged.')])
    })
  server.registerTool('test_tool_with_progress', { description: 'Reports progress' }, async ({ mcpReq }) => {
    const { _meta: meta } = mcpReq
    const progressToken = meta?.progressToken
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
      await delay(pauseMs)
    }
    return answer([words('The tool has finished.')])
  })
}

const said = (...contents: Content[]) => ({ messages: contents.map((content) => ({ role: 'user' as const, content })) })

type Content = ReturnType<typeof words> | typeof picture | ReturnType<typeof resourceOf> | Audio
interface Audio {
  type: 'audio'
  data: string
  mimeType: string
}

const answer = (content: Content[]) => ({ content })

export function registerResources(server: McpServer): void {
  const about = (mimeType: string) => ({ description: 'A test resource', mimeType })
  const text = 'This is the content of the static text resource.'
  server.registerResource('static-text', 'test://static-text', about('text/plain'), ({ href: uri }) => ({
    contents: [{ uri, mimeType: 'text/plain', text }],
  }))
  server.registerResource('static-binary', 'test://static-binary', about('image/png'), ({ href: uri }) => ({
    contents: [{ uri, mimeType: 'image/png', blob: png }],
  }))
  server.registerResource('watched', 'test://watched-resource', about('text/plain'), ({ href: uri }) => ({
    contents: [{ uri, mimeType: 'text/plain', text: 'It never changes.' }],
  }))
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  server.registerResource('template', template, about('application/json'), ({ href: uri }, { id }) => {
    if (typeof id !== 'string') throw new ResourceNotFoundError(uri)
    const data = { id, templateTest: true, data: `Data for ID: ${id}` }
    return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(data) }] }
  })
}

export function registerPrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description: 'A prompt' }, () =>
    said(words('This is a simple prompt for testing.')),
  )
  const completed = completable(z.string(), (value) =>
    ['paris', 'park', 'party'].filter((one) => one.startsWith(value)),
  )
  const args = z.object({ arg1: completed, arg2: z.string() })
  server.registerPrompt('test_prompt_with_arguments', { description: 'A prompt', argsSchema: args }, (given) =>
    said(words(`Prompt with arguments: arg1='${given.arg1}', arg2='${given.arg2}'`)),
  )
  const uri = z.object({ resourceUri: z.string() })
  server.registerPrompt('test_prompt_with_embedded_resource', { description: 'A prompt', argsSchema: uri }, (given) =>
    said(
      resourceOf(given.resourceUri, 'text/plain', 'Embedded resource content for testing.'),
      words('Please process the embedded resource above.'),
    ),
  )
  server.registerPrompt('test_prompt_with_image', { description: 'A prompt' }, () =>
    said(picture, words('Please analyze the image above.')),
  )
}
