FROM python:3.12-slim AS build
WORKDIR /src
COPY . .
RUN python -m venv /opt/wattline && /opt/wattline/bin/pip install --no-cache-dir --constraint .ci/constraints.txt .

FROM python:3.12-slim
RUN useradd --system --create-home --home-dir /var/lib/wattline wattline
COPY --from=build /opt/wattline /opt/wattline
ENV PATH=/opt/wattline/bin:$PATH WATTLINE_DATA_DIR=/var/lib/wattline
USER wattline
EXPOSE 8000
ENTRYPOINT ["wattline"]
CMD ["up", "--host", "0.0.0.0"]
