/** Keeps a request from going round: servers that have each other as upstreams, or one that has itself. */
import { randomBytes } from 'node:crypto';
import type { RequestHandler } from 'express';
import { ApiError } from '../http/errors.js';

/** Ids of the servers that have passed a request on, the first one first. */
export const HOPS_HEADER = 'x-pilotlight-hops';

/** Servers that may pass a request on one after the other: a chain of more is a mistake. */
const HOPS_MAX = 8;

/** 421: not tried again by clients, and a reason for the server before to ask its next upstream. */
export const LOOP_STATUS = 421;

/** For the life of a server. */
export function newHopId(): string {
  return randomBytes(8).toString('hex');
}

/** The header's value for the next server. */
export function nextHops(incoming: string | string[] | undefined, self: string): string {
  return [...hopsOf(incoming), self].join(', ');
}

/** Refuses what has been here before. */
export function hopGuard(self: string): RequestHandler {
  return (req, _res, next) => {
    const hops = hopsOf(req.headers[HOPS_HEADER]);
    if (hops.includes(self)) {
      throw new ApiError(
        LOOP_STATUS,
        'The request has come back to the server that passed it on: an upstream is this server itself, or has it as an upstream.',
        { code: 'upstream_loop' },
      );
    }
    if (hops.length >= HOPS_MAX) {
      throw new ApiError(
        LOOP_STATUS,
        `The request has been passed on by ${HOPS_MAX} servers, one to the other, which is as many as are allowed.`,
        { code: 'upstream_loop' },
      );
    }
    next();
  };
}

function hopsOf(incoming: string | string[] | undefined): string[] {
  return [incoming ?? '']
    .flat()
    .join(',')
    .split(',')
    .map((hop) => hop.trim())
    .filter((hop) => hop !== '');
}
