/** What the person sets about tool servers: seen and changed on this machine only. */
import type { Express, Request, Response } from 'express';
import {
  type McpServer,
  mcpConfigSchema,
  mcpServerPatchSchema,
  mcpTextSchema,
} from '../../protocol/mcp.js';
import { jsonBody } from '../http/body.js';
import { localGuard } from '../http/local-guard.js';
import { only } from '../http/methods.js';
import { parseBody } from '../request/refusal.js';
import type { Services } from '../services.js';
import type { ToolServers } from './tool-servers.js';

const PATH = '/pilotlight/mcp';

const WORDS = {
  mcpServers:
    'an object of servers by their names, each with a "command" and "args" or with a "url", and nothing that is not known here',
  enabled: 'true or false',
  consent: 'an object of tools and "ask", "always" or "never"',
  text: 'a text of at most a million characters',
};

export function routeMcp(app: Express, { toolServers }: Services): void {
  app.use(PATH, localGuard);
  app
    .route(`${PATH}/servers`)
    .get((_req, res) => tell(toolServers, res))
    .put(jsonBody(), put(toolServers))
    .all(only('GET, HEAD, PUT'));
  app
    .route(`${PATH}/servers/:id`)
    .patch(jsonBody(), patch(toolServers))
    .delete(remove(toolServers))
    .all(only('PATCH, DELETE'));
  app.route(`${PATH}/servers/:id/restart`).post(restart(toolServers)).all(only('POST'));
  app.route(`${PATH}/check`).post(jsonBody(), check(toolServers)).all(only('POST'));
}

type RequestWithId = Request<{ id: string }>;

function tell(toolServers: ToolServers, res: Response): void {
  const answer: { servers: McpServer[] } = { servers: toolServers.list() };
  res.json(answer);
}

function put(toolServers: ToolServers) {
  return async (req: Request, res: Response): Promise<void> => {
    const { mcpServers } = parseBody(mcpConfigSchema, req.body, WORDS);
    await toolServers.put(mcpServers);
    tell(toolServers, res);
  };
}

function patch(toolServers: ToolServers) {
  return async (req: RequestWithId, res: Response): Promise<void> => {
    const body = parseBody(mcpServerPatchSchema, req.body, WORDS);
    await toolServers.patch(req.params.id, body);
    tell(toolServers, res);
  };
}

function remove(toolServers: ToolServers) {
  return async ({ params: { id } }: RequestWithId, res: Response): Promise<void> => {
    await toolServers.remove(id);
    tell(toolServers, res);
  };
}

function restart(toolServers: ToolServers) {
  return ({ params: { id } }: RequestWithId, res: Response): void => {
    toolServers.restart(id);
    tell(toolServers, res);
  };
}

function check(toolServers: ToolServers) {
  return (req: Request, res: Response): void => {
    res.json(toolServers.check(parseBody(mcpTextSchema, req.body, WORDS).text));
  };
}
