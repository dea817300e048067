"""The endpoints of the service, by topic; `boxwise.service.app` puts them together."""
