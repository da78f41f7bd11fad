import { isJSONRPCRequest, StreamableHTTPClientTransport, type JSONRPCMessage } from '@modelcontextprotocol/client'
import { attempts } from './attempt.ts'

/** The data of the error that a request ends with if its response ends without an answer. */
export const noAnswer = Symbol('no answer')

/** Whether the library waits for the message before a session is open, so that its time is the attempt's. */
const isPartOfOpening = (message: JSONRPCMessage | JSONRPCMessage[]): boolean =>
  !Array.isArray(message) && 'method' in message && message.method === 'notifications/initialized'

/** Answers to what a server asks during one attempt. Each is a request, and a server could ask thousands of times. */
const mostReplies = 10

/**
 * The library's transport, but a request ends with its response. The library would wait for its timeout if a response
 * is cut, is an acknowledgement, or answers another request. Only requests, and the end of the handshake, belong to the
 * attempt: the library also sends acknowledgements and refusals of what the server asks.
 */
export class SessionTransport extends StreamableHTTPClientTransport {
  override send(
    message: JSONRPCMessage | JSONRPCMessage[],
    options?: Parameters<StreamableHTTPClientTransport['send']>[1],
  ): Promise<void> {
    if (isPartOfOpening(message)) return super.send(message, options)
    if (Array.isArray(message) || !isJSONRPCRequest(message)) return this.#sendAside(message, options)
    const { id, method } = message
    const attempt = attempts.getStore()
    if (attempt) attempt.request = { method, id: String(id) }
    return this.#sendRequest(message, options, () => {
      const error = { code: -32_603, message: 'The response ended without an answer.', data: noAnswer }
      // Has no effect on a request that was answered.
      this.onmessage?.({ jsonrpc: '2.0', id, error })
    })
  }

  #sendAside(
    message: JSONRPCMessage | JSONRPCMessage[],
    options: Parameters<StreamableHTTPClientTransport['send']>[1],
  ): Promise<void> {
    const attempt = attempts.getStore()
    if (attempt) attempt.replies = (attempt.replies ?? 0) + 1
    if ((attempt?.replies ?? 0) > mostReplies) return Promise.resolve()
    return attempts.run(undefined, () => super.send(message, options))
  }

  async #sendRequest(
    message: JSONRPCMessage,
    options: Parameters<StreamableHTTPClientTransport['send']>[1],
    end: () => void,
  ): Promise<void> {
    await super.send(message, { ...options, onRequestStreamEnd: end })
    if (!attempts.getStore()?.isStream) end()
  }
}
