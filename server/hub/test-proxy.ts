/** A web proxy on this machine, for tests: tunnels and plain requests, both counted. */
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';

export class TestProxy {
  /** What was asked for: "CONNECT host:port", or "GET http://…". */
  readonly asked: string[] = [];
  /** Where all that is asked for really goes; null: it is refused with 407. */
  target: { host: string; port: number } | null = null;
  readonly #server = http.createServer((req, res) => this.#forward(req, res));

  static async start(): Promise<TestProxy> {
    const proxy = new TestProxy();
    proxy.#server.on('connect', (req, socket, head) => {
      proxy.asked.push(`CONNECT ${req.url}`);
      if (proxy.target === null) {
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
        return;
      }
      const upstream = net.connect(proxy.target.port, proxy.target.host, () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        upstream.write(head);
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on('error', () => socket.destroy());
      socket.on('error', () => upstream.destroy());
    });
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** Such as "127.0.0.1:1234". */
  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #forward(req: http.IncomingMessage, res: http.ServerResponse): void {
    this.asked.push(`${req.method} ${req.url}`);
    if (this.target === null) {
      res.writeHead(407).end();
      return;
    }
    const { pathname, search } = new URL(req.url ?? '/', 'http://nowhere');
    const options = { ...this.target, path: pathname + search, method: req.method ?? 'GET' };
    const upstream = http.request({ ...options, headers: req.headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    upstream.on('error', () => res.destroy());
    req.pipe(upstream);
  }
}
