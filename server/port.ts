/** Opens the server's sockets, on the wanted port or on the next free one, and says why where it is another. */
import type http from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpServer } from './http/http-server.js';
import { describeHolder, findPortHolder } from './port-holder.js';

/** Ports that are tried after the wanted one, in order; then any free one. */
const NEXT_PORTS = 50;

export interface Listening {
  servers: http.Server[];
  port: number;
  /** A sentence for people where the port is not the wanted one, else null. */
  notice: string | null;
}

/** The server cannot listen; the message is a sentence for people. */
export class ListenError extends Error {
  constructor(
    message: string,
    readonly code: 'port_taken' | 'not_possible' = 'not_possible',
  ) {
    super(message);
  }
}

/**
 * Listens on `host` and, where that is the loopback of IPv4, on that of IPv6 as well if the machine has one: "localhost"
 * may mean either.
 * @param port 0: any free one.
 * @throws ListenError
 */
export async function listen(host: string, port: number, app: RequestListener): Promise<Listening> {
  const servers = await tryPort(host, port, app);
  if (servers) return { servers, port: portOf(servers), notice: null };
  const holder = describeHolder(await findPortHolder(port));
  const nextPorts = Array.from({ length: NEXT_PORTS }, (_, i) => port + 1 + i);
  for (const next of [...nextPorts.filter((candidate) => candidate <= 65535), 0]) {
    const found = await tryPort(host, next, app);
    if (!found) continue;
    const got = portOf(found);
    const notice = `Port ${port} is used by ${holder}; Pilotlight is at port ${got} instead.`;
    return { servers: found, port: got, notice };
  }
  throw new ListenError(`Port ${port} is used by ${holder}, and no other port is free.`);
}

/**
 * Listens there and nowhere else.
 * @throws ListenError that says who has the port.
 */
export async function listenExactly(
  host: string,
  port: number,
  app: RequestListener,
): Promise<Listening> {
  const servers = await tryPort(host, port, app);
  if (servers) return { servers, port: portOf(servers), notice: null };
  const holder = describeHolder(await findPortHolder(port));
  throw new ListenError(`Port ${port} is used by ${holder}.`, 'port_taken');
}

function portOf([server]: readonly http.Server[]): number {
  const address = server?.address() as AddressInfo | null | undefined;
  return address?.port ?? 0;
}

/** How often a port of the system's choice may turn out to be taken on IPv6. */
const ANY_PORT_TRIES = 10;

/** Null: the port is taken. */
async function tryPort(
  host: string,
  port: number,
  app: RequestListener,
): Promise<http.Server[] | null> {
  const twin = host === '127.0.0.1' || host === 'localhost' ? '::1' : null;
  const main = twin === null ? host.replace(/^\[|\]$/g, '') : '127.0.0.1';
  for (let tries = port === 0 ? ANY_PORT_TRIES : 1; tries > 0; tries--) {
    const server = await bind(main, port, app);
    if (server === 'taken') return null;
    if (server === 'no-address') {
      throw new ListenError(`This machine has no address ${host} to serve on.`);
    }
    if (twin === null) return [server];
    const second = await bind(twin, portOf([server]), app);
    if (second === 'no-address') return [server];
    if (second !== 'taken') return [server, second];
    // Someone else would answer half of those who ask for "localhost".
    await new Promise((resolve) => server.close(resolve));
  }
  return null;
}

function bind(
  host: string,
  port: number,
  app: RequestListener,
): Promise<http.Server | 'taken' | 'no-address'> {
  return new Promise((resolve, reject) => {
    const server = createHttpServer(app);
    server.once('error', (error: NodeJS.ErrnoException) => {
      switch (error.code) {
        case 'EADDRINUSE':
          return resolve('taken');
        case 'EADDRNOTAVAIL':
        case 'EAFNOSUPPORT':
        case 'ENOTFOUND':
        case 'EAI_AGAIN':
          return resolve('no-address');
        case 'EACCES':
          return reject(new ListenError(`Port ${port} may not be opened: choose one above 1023.`));
        default:
          return reject(new ListenError(`Port ${port} cannot be opened: ${error.message}.`));
      }
    });
    server.listen({ host, port, ipv6Only: host === '::1' }, () => resolve(server));
  });
}
